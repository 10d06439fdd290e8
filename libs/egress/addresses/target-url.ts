/** The target of a call, from a valid URL. */
export interface Target {
  /** `https://host` or `https://host:port`, without the final dot of a name. `http:` only if the caller permits it. */
  origin: string;
  /** Whether the URL is `http:`. An entry of the operator must then allow its address. */
  isPlain: boolean;
  /** Path and query. */
  path: string;
  /** A name in ASCII, or an address without brackets, in its canonical spelling. */
  host: string;
  port: number;
  isAddress: boolean;
}

/** The target of a URL, or a sentence with the reason why the URL is refused. The sentence does not quote the URL. */
export type TargetVerdict = { target: Target; refusal?: never } | { target?: never; refusal: string };

/** Maximum length of a URL, in characters. */
export const MAX_URL_LENGTH = 2048;

/** Maximum length of a label, and of a whole name without its final dot, in ASCII characters (RFC 1035, 2.3.4). */
const MAX_LABEL = 63;
const MAX_NAME = 253;

const AS_SENT = ' (other letters than a to z count as their xn-- form); give the name of your endpoint.';
const TOO_LONG = `The URL is longer than ${MAX_URL_LENGTH} characters`;
const IPV4 = /^\d+\.\d+\.\d+\.\d+$/;
// Control characters are matched on purpose, because the URL parser would silently drop some of them.
// oxlint-disable-next-line no-control-regex
const BLANK = /[\u0000-\u0020\u007f]/;

/**
 * Parses a URL by the WHATWG URL Standard. The standard gives each host a single spelling: IPv4 in any base or with
 * missing parts becomes four decimal numbers; names are decoded, lower-cased and converted to ASCII.
 * @param mayBePlain whether `http:` URLs are accepted too
 */
export function readTarget(text: string, mayBePlain = false): TargetVerdict {
  if (text.length > MAX_URL_LENGTH) return { refusal: `${TOO_LONG}; shorten it.` };
  if (BLANK.test(text)) return { refusal: 'The URL has a space or a control character in it; write it as %20.' };
  if (text.includes('#')) return { refusal: 'The URL has a fragment (#…), which is never sent; leave it out.' };
  const url = URL.parse(text);
  if (!url) return { refusal: 'This is not a complete URL; write it as https://host/path.' };
  const isPlain = url.protocol === 'http:';
  if (url.protocol !== 'https:' && !(isPlain && mayBePlain))
    return { refusal: 'Only https: URLs are called; begin the URL with https://.' };
  if (url.username || url.password) {
    return { refusal: 'The URL has a user name or password in it; leave it out, requests are signed instead.' };
  }
  if (url.href.length > MAX_URL_LENGTH) {
    return { refusal: `${TOO_LONG} when it is sent, with %C3%A9 for é and the like; shorten it.` };
  }
  if (url.port === '0') return { refusal: 'Nothing can be called at port 0; name another port, or none for 443.' };
  const name = url.hostname.replace(/\.$/, '');
  if (name === '') return { refusal: 'The URL has no host; write it as https://host/path.' };
  const fault = faultOfName(name);
  if (fault !== undefined) return { refusal: fault };
  const isIPv6 = name.startsWith('[');
  return {
    target: {
      origin: `${url.protocol}//${name}${url.port && `:${url.port}`}`,
      isPlain,
      path: url.pathname + url.search,
      host: isIPv6 ? name.slice(1, -1) : name,
      port: Number(url.port || (isPlain ? 80 : 443)),
      isAddress: isIPv6 || IPV4.test(name),
    },
  };
}

/** Why no name server can resolve a name; undefined if it is valid. IP addresses always pass. */
function faultOfName(name: string): string | undefined {
  const labels = name.split('.');
  if (labels.includes('')) return 'The host has two dots in a row or one in front; leave out what is too many.';
  if (labels.some(label => label.length > MAX_LABEL)) {
    return `The host has a part of more than ${MAX_LABEL} characters between two dots, which no name may have${AS_SENT}`;
  }
  return name.length > MAX_NAME
    ? `The host is longer than ${MAX_NAME} characters, the most of any name${AS_SENT}`
    : undefined;
}
