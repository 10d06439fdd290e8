/** Maximum length of a certificate request in characters. A request with an RSA key of 4,096 bits has about 1,700. */
export const REQUEST_MAX_LENGTH = 16 * 1024;

const BLOCK = /-----BEGIN ([A-Z0-9 ]{1,64})-----([^-]*)-----END ([A-Z0-9 ]{1,64})-----/g;
const BEGIN = /-----BEGIN /g;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const LABELS = new Set(['CERTIFICATE REQUEST', 'NEW CERTIFICATE REQUEST']);
const LINE = 64;

/** The DER of a certificate request, or the fault of the text. The fault never repeats the text. */
export function derOfRequest(text: string): { der: Buffer } | { defect: string } {
  if (text.length > REQUEST_MAX_LENGTH) return { defect: `must be at most ${REQUEST_MAX_LENGTH} characters` };
  if (/PRIVATE KEY/.test(text)) {
    return {
      defect:
        'holds a private key, which must never leave its device: make a new key there, and send the request alone',
    };
  }
  const begun = text.match(BEGIN)?.length ?? 0;
  if (begun === 0) return { defect: 'must be PEM and begin with -----BEGIN CERTIFICATE REQUEST-----' };
  if (begun > 1) return { defect: 'must hold one PEM block and no other' };
  const [block] = text.matchAll(BLOCK);
  const [, label = '', body = '', end] = block ?? [];
  if (label !== end) return { defect: 'must end with -----END CERTIFICATE REQUEST-----' };
  if (!LABELS.has(label)) return { defect: `must be a CERTIFICATE REQUEST, and is a ${label}` };
  const base64 = body.replaceAll(/\s/g, '');
  if (base64 === '' || !BASE64.test(base64)) return { defect: 'must hold base64 between its first and last line' };
  return { der: Buffer.from(base64, 'base64') };
}

/** DER as PEM (RFC 7468), with a trailing line break. */
export function pemOf(label: 'CERTIFICATE' | 'X509 CRL', der: Uint8Array): string {
  const base64 = Buffer.from(der).toString('base64');
  const lines = base64.match(new RegExp(`.{1,${LINE}}`, 'g')) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}
