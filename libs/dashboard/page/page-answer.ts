import { CONTENT_SECURITY_POLICY, NOT_BUILT, pageDocument, type NamedProvider } from './page-document.js';
import type { PageFile, PageFiles } from './page-files.js';
import { RESERVED, type PageOptions } from './page.options.js';

/** Response for a URL of the page. */
export interface PageAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** The parts of a request that determine the response. */
export interface PageRequest {
  /** Path of the request as received, without the query. */
  readonly path: string;
  /** Number of slashes in the path at which the page is mounted, including the trailing one. */
  readonly mount: number;
  readonly accept: string;
  readonly acceptEncoding: string;
  /** Identity providers with which people can sign in. */
  readonly providers: readonly NamedProvider[];
  /** Whether the browser certainly has no session. */
  readonly isSignedOut: boolean;
}

const SAFE_HEADERS = {
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
} as const;

/**
 * The response to a request below the page's path; undefined if another route handles the path. Every path that is not
 * a file returns the page, so that deep links work.
 */
export async function answerPage(
  files: PageFiles,
  options: PageOptions,
  request: PageRequest,
): Promise<PageAnswer | undefined> {
  const segments = request.path.split('/').slice(request.mount);
  if (segments.length === 0) return redirect(request.path);
  const [first = '', last = ''] = [segments[0], segments.at(-1)];
  const takesHtml = request.accept.includes('text/html');
  const name = segments.join('/');
  if (name !== '' && name !== 'index.html') {
    const file = await files.find(name);
    if (file) return fileAnswer(file, request.acceptEncoding);
    if (RESERVED.has(first.toLowerCase()) || last.includes('.') || !takesHtml) return undefined;
  }
  const index = await files.find('index.html');
  if (!index) return text(503, NOT_BUILT, 'text/plain; charset=utf-8');
  const below = options.path.split('/').filter(Boolean).length;
  const { providers, isSignedOut } = request;
  const place = { depth: segments.length - 1, below, signIn: options.signIn, providers, isSignedOut };
  return text(200, pageDocument(index.plain.toString('utf8'), place), index.type);
}

/** Without a trailing slash, the relative URLs of the page would be resolved against the parent path. */
function redirect(path: string): PageAnswer {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return {
    ...text(302, '', 'text/plain'),
    headers: { ...SAFE_HEADERS, Location: `./${name}/`, 'Cache-Control': 'no-store' },
  };
}

function text(status: number, content: string, type: string): PageAnswer {
  const headers = { ...SAFE_HEADERS, 'Content-Type': type, 'Cache-Control': 'no-store' };
  return { status, headers, body: Buffer.from(content) };
}

function fileAnswer(file: PageFile, acceptEncoding: string): PageAnswer {
  const encoding = (['br', 'gzip'] as const).find(each => file[each] && accepts(acceptEncoding, each));
  const headers = {
    ...SAFE_HEADERS,
    'Content-Type': file.type,
    'Cache-Control': file.isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
    Vary: 'Accept-Encoding',
    ...(encoding === undefined ? {} : { 'Content-Encoding': encoding }),
  };
  return { status: 200, headers, body: (encoding && file[encoding]) ?? file.plain };
}

function accepts(header: string, encoding: string): boolean {
  return header.split(',').some(part => {
    const [name = '', weight = ''] = part.split(';').map(each => each.trim().toLowerCase());
    return name === encoding && !/^q=0(\.0*)?$/.test(weight);
  });
}
