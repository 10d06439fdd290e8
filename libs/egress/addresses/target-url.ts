/** What is called, taken from a URL that keeps the rules. */
export interface Target {
  /** `https://host` or `https://host:port`, without a final dot of the name. */
  origin: string;
  /** Path and query. */
  path: string;
  /** A name in ASCII, or an address without brackets. Never in another spelling than the canonical one. */
  host: string;
  isAddress: boolean;
}

/** A URL is a target, or has a sentence for a person that says why not. The sentence quotes nothing of the URL. */
export type TargetVerdict = { target: Target; refusal?: never } | { target?: never; refusal: string };

/** Longest URL that is called, in characters. */
export const MAX_URL_LENGTH = 2048;

const TOO_LONG = { refusal: `The URL is longer than ${MAX_URL_LENGTH} characters.` };
const IPV4 = /^\d+\.\d+\.\d+\.\d+$/;
// Matching control characters is the purpose: the URL parser would drop some of them without a word.
// oxlint-disable-next-line no-control-regex
const BLANK = /[\u0000-\u0020\u007f]/;

/**
 * Reads a URL as the WHATWG URL Standard does, which leaves one spelling of each host: IPv4 in any base or with parts
 * left out becomes four decimal numbers, names are decoded, folded and turned to ASCII.
 */
export function readTarget(text: string): TargetVerdict {
  if (text.length > MAX_URL_LENGTH) return TOO_LONG;
  if (BLANK.test(text)) return { refusal: 'The URL has a space or a control character in it; write it as %20.' };
  if (text.includes('#')) return { refusal: 'The URL has a fragment (#…), which is never sent; leave it out.' };
  const url = URL.parse(text);
  if (!url) return { refusal: 'This is not a complete URL; write it as https://host/path.' };
  if (url.protocol !== 'https:') return { refusal: 'Only https: URLs are called; begin the URL with https://.' };
  if (url.username || url.password) {
    return { refusal: 'The URL has a user name or password in it; leave it out, requests are signed instead.' };
  }
  if (url.href.length > MAX_URL_LENGTH) return TOO_LONG;
  const name = url.hostname.replace(/\.$/, '');
  if (name === '') return { refusal: 'The URL has no host; write it as https://host/path.' };
  const isIPv6 = name.startsWith('[');
  return {
    target: {
      origin: `https://${name}${url.port && `:${url.port}`}`,
      path: url.pathname + url.search,
      host: isIPv6 ? name.slice(1, -1) : name,
      isAddress: isIPv6 || IPV4.test(name),
    },
  };
}
