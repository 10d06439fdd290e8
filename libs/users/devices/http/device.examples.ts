/** A certificate request whose private key was discarded. */
export const REQUEST_EXAMPLE = [
  '-----BEGIN CERTIFICATE REQUEST-----',
  'MIHKMHMCAQAwETEPMA0GA1UEAwwGbGFwdG9wMFkwEwYHKoZIzj0CAQYIKoZIzj0D',
  'AQcDQgAEr/ud3iZ9IuBtK5OnkyIUS+YqbO3EVoVU7HHFebN1eNeSTqt5qDpYau+o',
  '1q5bef4OmwSMSCnCrSo9nJD5WLrN26AAMAoGCCqGSM49BAMCA0cAMEQCIDks6nQj',
  '+xg8inWwIbmavYFq07Q6dwuLM23oOcPjgP8kAiAMe80rcLIEnqQNkAc1tk+I3hIo',
  'Y6VZG0bsPtVk0at9Gw==',
  '-----END CERTIFICATE REQUEST-----',
  '',
].join('\n');

/** Another certificate request: a renewal has a new key. */
export const RENEWAL_EXAMPLE = [
  '-----BEGIN CERTIFICATE REQUEST-----',
  'MIHLMHMCAQAwETEPMA0GA1UEAwwGbGFwdG9wMFkwEwYHKoZIzj0CAQYIKoZIzj0D',
  'AQcDQgAEzJsUn9ETlK1Oe/yLfnV0uPv9+G68s2wP8xdkzlNeXgAEYJKMjZcYcPu7',
  'R7D9yAqoCxOLI2NuDeKq/WQrW90WjqAAMAoGCCqGSM49BAMCA0gAMEUCIC5nu3P/',
  'JyPb6b1TPkCTS4Veizm9xmArCrf7VfNvyWKHAiEAgMhYUxvk4rLTDbtEEYdADAEY',
  'vKTtNwOPXIFnmlqZHPE=',
  '-----END CERTIFICATE REQUEST-----',
  '',
].join('\n');

/** A certificate request in PEM, shortened. */
export const CERTIFICATE_EXAMPLE = '-----BEGIN CERTIFICATE-----\nMIIB…\n-----END CERTIFICATE-----\n';

/** Shortened PEM. */
export const LIST_EXAMPLE = '-----BEGIN X509 CRL-----\nMIIB…\n-----END X509 CRL-----\n';

/** Example of a proof: a signature in base64. */
export const PROOF_EXAMPLE =
  'MEUCIQDQ2gW0b0eFJm1l1Jb3bq7r0c2yQmZ1nq8mH0o8mE0m3AIgF0Qm7eY0rj1v8n3m5hV2k9s4t6u8w0x2z4B6D8F0H2I=';
