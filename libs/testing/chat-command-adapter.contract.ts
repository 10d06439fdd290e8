import { deepEqual, equal, notEqual, ok } from 'node:assert/strict';
import type { ChatCommand, ChatCommandAdapter, ChatRequest } from '#itsm';
import { casesOf, type Closable, type ContractCase } from './contract-case.js';

/** A chat adapter under test, and requests as its platform sends them. Created for each case. */
export interface ChatCommandAdapterGround extends Closable {
  readonly adapter: ChatCommandAdapter;
  /** A new request that the platform sends for a command with this text, signed with the secret at this time. */
  readonly command: (secret: string, at: Date, text: string) => ChatRequest;
  /** The request with which the platform checks the request URL. Omit it if the platform sends none. */
  readonly probe?: ChatRequest;
  /** An address of the platform to which later answers are sent. */
  readonly replyUrl: string;
  /** Texts that the platform would interpret as markup, such as a mention of everybody. */
  readonly markup: readonly string[];
}

const SECRET = 'correct horse battery staple';
const NOW = new Date('2026-11-20T12:00:00Z');
const HOUR_MS = 3_600_000;
const TEXTS = ['list', '', 'ünïcödé 🙂', 'a & b = c + d%20', '"quoted" {json: true}'];
const ODD_TEXTS = ['', ' ', '*', '../..', '__proto__', 'constructor', '\u0000', 'a'.repeat(10_000), "' or 1=1"];
const ODD_BODIES = ['', '{}', 'null', '[1]', '&&==', '%', '<a/>', '__proto__=1', '\u0000\u0001', 'x'.repeat(100_000)];

const RULES: Record<string, (ground: ChatCommandAdapterGround) => void> = {
  'has a kind that is valid in paths, and a title'({ adapter }) {
    ok(/^[a-z][a-z0-9_-]{0,63}$/.test(adapter.kind), adapter.kind);
    ok(adapter.title.trim() !== '', 'it has a title');
  },
  'reads the name and the text of a command'(ground) {
    for (const text of TEXTS) {
      const command = read(ground, text);
      equal(command.text, text);
      ok(command.name !== '', 'the command has a name');
    }
  },
  'accepts the workspace and the account of a command as ids, and no other texts'(ground) {
    const { workspace, account } = read(ground, 'list');
    ok(ground.adapter.isWorkspace(workspace), workspace);
    ok(ground.adapter.isAccount(account), account);
    for (const text of [...ODD_TEXTS, `${workspace}\n`, `${account}\n`]) {
      equal(ground.adapter.isWorkspace(text), false, `workspace ${text}`);
      equal(ground.adapter.isAccount(text), false, `account ${text}`);
    }
  },
  'gives each command a unique request id, and a repeated request the same id'({ adapter, command }) {
    const [one, two] = [command(SECRET, NOW, 'list'), command(SECRET, NOW, 'list')];
    const [first, second] = [adapter.read(one)?.requestId ?? '', adapter.read(two)?.requestId ?? ''];
    ok(first !== '' && second !== '', 'commands have request ids');
    notEqual(first, second);
    equal(adapter.read(copyOf(one))?.requestId, first);
  },
  'reads no command from other requests, treats none as signed, and throws for none'({ adapter }) {
    for (const text of ODD_BODIES) {
      for (const headers of [{}, { 'content-type': 'application/json' }, { 'content-type': ['a', 'b'] }]) {
        const request = { headers, body: Buffer.from(text) };
        equal(adapter.read(request), null, `read ${text.slice(0, 20)}`);
        equal(adapter.isAuthentic(request, SECRET, NOW), false, `believed ${text.slice(0, 20)}`);
        equal(adapter.isProbe(request), false, `took for a probe ${text.slice(0, 20)}`);
      }
    }
  },
  'accepts a request that the platform signed with the secret a minute ago'({ adapter, command }) {
    for (const at of [NOW, new Date(NOW.getTime() - 60_000)]) {
      equal(adapter.isAuthentic(command(SECRET, at, 'list'), SECRET, NOW), true);
    }
  },
  'refuses a request that was signed with another secret'({ adapter, command }) {
    for (const other of [`${SECRET}r`, SECRET.slice(1), SECRET.toUpperCase(), '']) {
      equal(adapter.isAuthentic(command(SECRET, NOW, 'list'), other, NOW), false, `secret ${other}`);
    }
  },
  'refuses a request whose body was altered'({ adapter, command }) {
    const { headers, body } = command(SECRET, NOW, 'list');
    for (const at of [0, Math.floor(body.length / 2), body.length - 1]) {
      const altered = Buffer.from(body);
      altered[at] = (altered[at] ?? 0) ^ 1;
      equal(adapter.isAuthentic({ headers, body: altered }, SECRET, NOW), false, `byte ${at}`);
    }
    equal(adapter.isAuthentic({ headers, body: Buffer.concat([body, body]) }, SECRET, NOW), false);
  },
  'refuses a request without its headers, or with each of them twice'({ adapter, command }) {
    const { headers, body } = command(SECRET, NOW, 'list');
    equal(adapter.isAuthentic({ headers: {}, body }, SECRET, NOW), false, 'no headers');
    const twice = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value, value].flat()]));
    // The types of Node.js do not allow a list with `undefined`. A duplicate header has two values.
    const request = { headers: twice as Record<string, string[]>, body };
    equal(adapter.isAuthentic(request, SECRET, NOW), false, 'each header twice');
  },
  'refuses a request that was signed an hour ago or an hour ahead'({ adapter, command }) {
    for (const by of [-HOUR_MS, HOUR_MS]) {
      const at = new Date(NOW.getTime() + by);
      equal(adapter.isAuthentic(command(SECRET, at, 'list'), SECRET, NOW), false, at.toISOString());
    }
  },
  'answers the same for a repeated request, and does not change the request'({ adapter, command }) {
    const request = command(SECRET, NOW, 'list');
    const before = copyOf(request);
    const first = adapter.read(request);
    equal(adapter.isAuthentic(request, SECRET, NOW), true);
    deepEqual(adapter.read(request), first);
    equal(adapter.isAuthentic(request, SECRET, NOW), true);
    deepEqual(request, before);
  },
  'distinguishes a probe of the platform from a command'({ adapter, command, probe }) {
    equal(adapter.isProbe(command(SECRET, NOW, 'list')), false, 'a command is not a probe');
    if (probe) equal(adapter.isProbe(probe), true, 'a probe is one');
  },
  'sends later answers to the platform and nowhere else'({ adapter, replyUrl }) {
    equal(adapter.isReplyUrl(replyUrl), true, replyUrl);
    for (const url of elsewhere(new URL(replyUrl))) equal(adapter.isReplyUrl(url), false, url);
  },
  'replies with JSON that contains the text'({ adapter }) {
    const reply = adapter.reply('Incident 17 is closed.');
    deepEqual(JSON.parse(JSON.stringify(reply)), reply);
    ok(textsOf(reply).includes('Incident 17 is closed.'), JSON.stringify(reply));
  },
  'escapes texts that the platform would read as markup'({ adapter, markup }) {
    ok(markup.length > 0, 'the ground has markup');
    for (const text of markup) {
      const shown = textsOf(adapter.reply(`before ${text} after`));
      ok(!shown.some(each => each.includes(text)), `${text} is escaped`);
    }
  },
};

function read({ adapter, command }: ChatCommandAdapterGround, text: string): ChatCommand {
  const found = adapter.read(command(SECRET, NOW, text));
  ok(found, 'the command is read');
  return found;
}

function copyOf({ headers, body }: ChatRequest): ChatRequest {
  return { headers: { ...headers }, body: Buffer.from(body) };
}

/** Addresses that this server must never call: some resemble the address of the platform, others are unrelated. */
function elsewhere({ host, pathname }: URL): string[] {
  return [
    ...[`http://${host}${pathname}`, `https://${host}.example.com${pathname}`, `https://example.com/${host}`],
    ...[`https://user:password@${host}${pathname}`, `https://${host}@example.com${pathname}`],
    ...[`https://${host}:8443${pathname}`, 'https://127.0.0.1/', 'file:///etc/passwd', 'javascript:1', '', 'nowhere'],
  ];
}

/** All texts in a JSON value. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsOf);
}

/**
 * The contract of `ChatCommandAdapter`: the cases that every adapter must pass. `makeGround` is called for each case.
 */
export function chatCommandAdapterContract(
  makeGround: () => Promise<ChatCommandAdapterGround> | ChatCommandAdapterGround,
): readonly ContractCase[] {
  return casesOf(RULES, makeGround);
}
