//! The security of the brokers' listener, in the library's form.

use driver_runtime::{Refusal, Security};
use krafka::auth::{AuthConfig, TlsConfig};

use crate::{FAMILY, VERSION};

/// What a client needs for the listener. It takes certificates as files, which hold a key as well.
pub fn access(asked: &Security) -> Result<AuthConfig, Refusal> {
    let (user, password) = (asked.user.as_str(), asked.password.as_str());
    let login = match asked.mechanism.as_str() {
        "" => AuthConfig::plaintext(),
        "PLAIN" => AuthConfig::sasl_plain(user, password),
        "SCRAM-SHA-256" => AuthConfig::sasl_scram_sha256(user, password),
        "SCRAM-SHA-512" => AuthConfig::sasl_scram_sha512(user, password),
        other => {
            return Err(Refusal::of(format!(
                "{FAMILY} {VERSION} has no {other} here"
            )));
        }
    };
    if asked.authority_file.is_empty() {
        return Ok(login);
    }
    let mut tls = TlsConfig::new().with_ca_cert(asked.authority_file.as_str());
    if !asked.certificate_file.is_empty() {
        tls = tls.with_client_cert(
            asked.certificate_file.as_str(),
            asked.certificate_file.as_str(),
        );
    }
    Ok(login.with_tls(tls))
}
