import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Root of the repository. */
export const ROOT = join(import.meta.dirname, '..', '..');

/** A fenced block of code. The words after its language say how it is tested; readers see only the language. */
export interface Block {
  page: string;
  line: number;
  language: string;
  /** The words after the language. */
  marks: string[];
  /** The text that the output must contain: everything after the mark `expect`. */
  expect: string | undefined;
  code: string;
}

/** Every page for readers, by path: README, CONTRIBUTING and all pages in docs. */
export function pages(): string[] {
  const listed = execFileSync(
    'git',
    ['ls-files', '--cached', '--others', '--exclude-standard', '*.md', 'docs/llms.txt'],
    {
      cwd: ROOT,
      encoding: 'utf8',
    },
  );
  const found = listed.split('\n').filter(path => path !== '' && existsSync(join(ROOT, path)));
  return found.toSorted((a, b) => a.localeCompare(b, 'en'));
}

export function readPage(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8');
}

/** The blocks of a page, in order. */
export function blocksOf(page: string, text = readPage(page)): Block[] {
  const fence = /^```([^\n]*)\n([\s\S]*?)^```$/gm;
  return [...text.matchAll(fence)].map(({ 1: info = '', 2: code = '', index }) => {
    const [head = '', ...expected] = info.split(/\bexpect /);
    const [language = '', ...marks] = head.trim().split(/\s+/);
    const expect = expected.length > 0 ? expected.join('expect ') : undefined;
    return { page, line: text.slice(0, index).split('\n').length, language, marks, expect, code };
  });
}

/** First marks of the blocks that a test of their page runs or compares: programs, events, reports, a connector. */
const WITH_THEIR_OWN_TEST: Readonly<Record<string, readonly string[]>> = {
  'docs/claude-code.md': ['settings'],
  'docs/embed.md': ['tsconfig'],
  'docs/dashboard.md': ['oidc'],
  'docs/operate.md': [
    ...['providers', 'server', 'first-link', 'next-link', 'create-database', 'roles', 'roles-15', 'lost-key'],
    ...['backup-role', 'backup', 'restore', 'restore-check', 'drop-copy', 'inspect-copy', 'count-waiting'],
  ],
  'docs/scale.md': ['pgbouncer', 'pooled-role', 'patroni', 'primary'],
  'docs/webhooks.md': ['verify', 'event'],
  'docs/siem.md': ['folder', 'readers', 'compose', 'kubernetes', 'syslog', 'http', 'record', 'repeated', 'table-size'],
  'docs/ticket-updates.md': ['report', 'automation', 'native', 'rule'],
  'docs/write-an-itsm-adapter.md': ['connector', 'certificate', 'report-of-desk'],
  'docs/uninstall.md': ['plan', 'done', 'rest'],
};

/** Whether a test of the page runs or compares the block. */
export function hasItsOwnTest({ page, marks }: Block): boolean {
  return WITH_THEIR_OWN_TEST[page]?.includes(marks[0] ?? '') ?? false;
}

/** The anchors of a page, as GitHub creates them from headings. */
export function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>();
  for (const { 1: heading = '' } of withoutCode(text).matchAll(/^#{1,6} +(.+)$/gm)) {
    const slug = heading
      .trim()
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/g, '-');
    let anchor = slug;
    for (let count = 1; anchors.has(anchor); count++) anchor = `${slug}-${count}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** The targets of a page's links. */
export function linksOf(text: string): string[] {
  return [...withoutCode(text).matchAll(/\[[^\]]*\]\(([^()\s]+)\)/g)].map(match => match[1] ?? '');
}

function withoutCode(text: string): string {
  return text.replaceAll(/^```[\s\S]*?^```$/gm, '').replaceAll(/`[^`\n]*`/g, code => code.replaceAll(/[()[\]#]/g, ''));
}
