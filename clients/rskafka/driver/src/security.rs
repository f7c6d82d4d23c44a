//! The security of the brokers' listener, in the library's form.

use std::sync::Arc;

use driver_runtime::{Refusal, Security};
use rskafka::client::{ClientBuilder, Credentials, SaslConfig};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore};

use crate::{FAMILY, VERSION};

/// Gives a client's builder what it needs for the listener.
pub fn secured(mut builder: ClientBuilder, asked: &Security) -> Result<ClientBuilder, Refusal> {
    if !asked.authority.is_empty() {
        let tls = tls(asked).map_err(|text| Refusal::of(format!("no TLS: {text}")))?;
        builder = builder.tls_config(Arc::new(tls));
    }
    let login = Credentials::new(asked.user.clone(), asked.password.clone());
    let sasl = match asked.mechanism.as_str() {
        "" => return Ok(builder),
        "PLAIN" => SaslConfig::Plain(login),
        "SCRAM-SHA-256" => SaslConfig::ScramSha256(login),
        "SCRAM-SHA-512" => SaslConfig::ScramSha512(login),
        other => {
            return Err(Refusal::of(format!(
                "{FAMILY} {VERSION} has no {other} here"
            )));
        }
    };
    Ok(builder.sasl_config(sasl))
}

/// The client's side of TLS: it trusts the authority alone, and has a certificate where brokers ask for one.
fn tls(asked: &Security) -> Result<ClientConfig, String> {
    let mut trusted = RootCertStore::empty();
    for certificate in certificates(&asked.authority)? {
        trusted
            .add(certificate)
            .map_err(|error| error.to_string())?;
    }
    let builder = ClientConfig::builder().with_root_certificates(trusted);
    if asked.certificate.is_empty() {
        return Ok(builder.with_no_client_auth());
    }
    let key =
        PrivateKeyDer::from_pem_slice(asked.key.as_bytes()).map_err(|error| error.to_string())?;
    builder
        .with_client_auth_cert(certificates(&asked.certificate)?, key)
        .map_err(|error| error.to_string())
}

fn certificates(pem: &str) -> Result<Vec<CertificateDer<'static>>, String> {
    CertificateDer::pem_slice_iter(pem.as_bytes())
        .collect::<Result<_, _>>()
        .map_err(|error| error.to_string())
}
