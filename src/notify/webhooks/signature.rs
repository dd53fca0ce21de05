//! Signatures of messages, as Standard Webhooks has them.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// What the text of a secret begins with.
const PREFIX: &str = "whsec_";

/// A secret as its owner gets it.
pub fn secret_text(secret: &[u8]) -> String {
    format!("{PREFIX}{}", STANDARD.encode(secret))
}

/// The header `webhook-signature`: one for each secret.
pub fn sign(secrets: &[Vec<u8>], id: &str, timestamp: i64, body: &[u8]) -> String {
    let signatures: Vec<String> = secrets
        .iter()
        // A key of any length will do.
        .filter_map(|secret| Hmac::<Sha256>::new_from_slice(secret).ok())
        .map(|mut mac| {
            mac.update(format!("{id}.{timestamp}.").as_bytes());
            mac.update(body);
            format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
        })
        .collect();
    signatures.join(" ")
}

#[cfg(test)]
mod tests {
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;

    use super::{secret_text, sign};

    /// From the standard's own libraries.
    #[test]
    fn the_vectors_of_the_standard() {
        let text = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
        let secret = STANDARD.decode(&text[6..]).expect("base64");
        assert_eq!(secret_text(&secret), text);
        let body = br#"{"email":"test@example.com","username":"test_user"}"#;
        let signed = sign(
            std::slice::from_ref(&secret),
            "msg_27UH4WbU6Z5A5EzD8u03UvzRbpk",
            1_649_367_553,
            body,
        );
        assert_eq!(signed, "v1,tZ1I4/hDygAJgO5TYxiSd6Sd0kDW6hPenDe+bTa3Kkw=");

        let secret = STANDARD
            .decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
            .expect("base64");
        let body = br#"{"test": 2432232314}"#;
        let id = "msg_p5jXN8AQM9LWM0D4loKWxJek";
        let one = sign(std::slice::from_ref(&secret), id, 1_614_265_330, body);
        assert_eq!(one, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
        let two = sign(&[secret.clone(), secret], id, 1_614_265_330, body);
        assert_eq!(two, format!("{one} {one}"));
    }
}
