import { ok } from 'node:assert/strict';

/** How a platform shows the texts of tickets. */
export type Shows = 'html' | 'markdown' | 'plain';

/** A text that a browser would execute, that closes the surrounding markup, or that is displayed as another text. */
export const MARKUP = '<img src=x onerror=alert(1)> &lt;b&gt; </pre></code>';

const AS_HTML = '&lt;img src=x onerror=alert(1)&gt; &amp;lt;b&amp;gt; &lt;/pre&gt;&lt;/code&gt;';

/** Code blocks of Markdown, which contain no markup. */
const FENCED = /^(`{3,}|~{3,})[^\n]*\n[\s\S]*?^\1/gm;

/** Asserts that one of the sent texts contains {@link MARKUP}, and that the platform shows it as plain text. */
export function isShownAsItIs(shows: Shows, texts: readonly string[], what: string): void {
  if (shows === 'plain') {
    ok(
      texts.some(text => text.includes(MARKUP)),
      `${what} is sent as it is to a platform that shows plain text`,
    );
    return;
  }
  const bare = shows === 'markdown' ? texts.map(text => text.replaceAll(FENCED, '')) : texts;
  for (const text of bare)
    ok(!/(?<!\\)<(?:img|\/pre><\/code)/.test(text), `${what} holds markup of strangers: ${text}`);
  if (shows === 'markdown') return;
  ok(
    texts.some(text => text.includes(AS_HTML)),
    `${what} is sent with &, < and > escaped; or say in the ground what the platform \`shows\``,
  );
}
