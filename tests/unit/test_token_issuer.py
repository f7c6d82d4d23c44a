"""Signed tokens of a run: their claims, their keys, and the mark by which a search finds them."""

from __future__ import annotations

import base64
import json

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey, RSAPublicNumbers
from cryptography.hazmat.primitives.serialization import load_pem_public_key

from probe.run_credentials import MARK, TOKEN_MARK
from probe.token_issuer import AUDIENCE, ISSUER, Issuer, new_issuer


@pytest.fixture(scope="module")
def issuer() -> Issuer:
    return new_issuer(f"{MARK}of-this-test")


def read(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def check(key: RSAPublicKey, token: str) -> None:
    signed, _, signature = token.rpartition(".")
    key.verify(read(signature), signed.encode(), PKCS1v15(), hashes.SHA256())


def test_a_token_names_its_subject_and_ends(issuer: Issuer) -> None:
    header, claims, _ = issuer.token("probe", 1000, 10).split(".")
    of = {"sub": "probe", "iss": ISSUER, "aud": AUDIENCE}
    assert json.loads(read(claims)) == {**of, "iat": 1000, "exp": 1010}
    assert json.loads(read(header))["alg"] == "RS256"


def test_both_forms_of_the_public_key_check_it(issuer: Issuer) -> None:
    token = issuer.token("probe", 1000, 10)
    pem = load_pem_public_key(issuer.public_key.encode())
    (jwk,) = json.loads(issuer.key_set)["keys"]
    n, e = (int.from_bytes(read(jwk[name]), "big") for name in ("n", "e"))
    assert isinstance(pem, RSAPublicKey)
    assert RSAPublicNumbers(e, n) == pem.public_numbers()
    check(pem, token)
    with pytest.raises(InvalidSignature):
        check(pem, new_issuer(MARK).token("probe", 1000, 10))


def test_a_search_finds_every_token_and_no_key_is_printed(issuer: Issuer) -> None:
    assert issuer.token("probe", 1000, 10).startswith(TOKEN_MARK)
    assert new_issuer(f"{MARK}0").token("other", 2000, 300).startswith(TOKEN_MARK)
    assert "RSA" not in repr(issuer)
    assert "PRIVATE" not in issuer.public_key + issuer.key_set
