import { afterAll } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { SystemClock } from '#core';
import type { SecurityEvent } from '#access';
import { SlackCommandAdapter, type ChatCommandAdapter, type ChatRequest } from '#itsm';
import { holds } from '../support/contracts.js';
import { LoggedSecurityEvents } from '../../libs/access/security/logged-security-events.js';
import { slackSignature } from '../../libs/itsm/chat/slack/slack-signature.js';
import { chatCommandAdapterContract, securityEventsContract } from '../../libs/testing/index.js';

afterAll(() => Logger.overrideLogger(false));

function thrown(message: string): never {
  throw new Error(message);
}

let trigger = 0;

/** A slash command of Slack, as Slack sends it. */
function slackCommand(secret: string, at: Date, text: string): ChatRequest {
  const form = { team_id: 'T1', user_id: 'U1', command: '/service-alerts', text, trigger_id: `trigger-${++trigger}` };
  const body = Buffer.from(new URLSearchParams({ ...form, response_url: REPLY_URL }).toString());
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const signature = slackSignature(secret, timestamp, body);
  return { headers: { 'x-slack-request-timestamp': timestamp, 'x-slack-signature': signature }, body };
}

const REPLY_URL = 'https://hooks.slack.com/commands/T1/1/abc';
const slack = new SlackCommandAdapter();

/** The adapter of Slack with one fault. */
const faulty = (change: Partial<ChatCommandAdapter>): ChatCommandAdapter => ({
  kind: slack.kind,
  title: slack.title,
  isWorkspace: text => slack.isWorkspace(text),
  isAccount: text => slack.isAccount(text),
  read: request => slack.read(request),
  isProbe: request => slack.isProbe(request),
  isAuthentic: (request, secret, now) => slack.isAuthentic(request, secret, now),
  isReplyUrl: url => slack.isReplyUrl(url),
  reply: text => slack.reply(text),
  ...change,
});
const timeOf = ({ headers }: ChatRequest): Date => new Date(Number(headers['x-slack-request-timestamp']) * 1000);
const first = (value: string | string[] | undefined): string | undefined => [value].flat()[0];
let asked = 0;

holds<ChatCommandAdapter>('ChatCommandAdapter', {
  cases: adapter =>
    chatCommandAdapterContract(() => ({
      adapter,
      command: slackCommand,
      probe: { headers: {}, body: Buffer.from('ssl_check=1&token=x') },
      replyUrl: REPLY_URL,
      markup: ['<!channel>', '<https://example.com|here>'],
    })),
  kept: { 'slash commands of Slack': () => slack },
  broken: {
    'has a title for a kind': () => faulty({ kind: 'Slack chat' }),
    'trims the text': () =>
      faulty({
        read: request => {
          const command = slack.read(request);
          return command && { ...command, text: command.text.replaceAll(/\W/g, '') };
        },
      }),
    'accepts any id': () => faulty({ isWorkspace: () => true }),
    'accepts no account': () => faulty({ isAccount: () => false }),
    'has one request id for all': () =>
      faulty({
        read: request => {
          const command = slack.read(request);
          return command && { ...command, requestId: command.text };
        },
      }),
    'takes everything for a command': () =>
      faulty({
        read: request =>
          slack.read(request) ?? { ...{ workspace: '', account: '', name: '', text: '' }, requestId: '', replyUrl: '' },
      }),
    'parses without looking': () =>
      faulty({ read: request => (request.body.length === 0 ? thrown('empty') : slack.read(request)) }),
    'believes everybody': () => faulty({ isAuthentic: () => true }),
    'believes nobody': () => faulty({ isAuthentic: () => false }),
    'knows one secret': () =>
      faulty({
        isAuthentic: (request, _secret, now) => slack.isAuthentic(request, 'correct horse battery staple', now),
      }),
    'looks at the form of signatures only': () =>
      faulty({
        isAuthentic: ({ headers }) => /^v0=[0-9a-f]{64}$/.test(first(headers['x-slack-signature']) ?? ''),
      }),
    'takes the first of two headers': () =>
      faulty({
        isAuthentic: ({ headers, body }, secret, now) => {
          const names = Object.entries(headers).map(([name, value]) => [name, first(value)]);
          return slack.isAuthentic({ headers: Object.fromEntries(names), body }, secret, now);
        },
      }),
    'never forgets a signature': () =>
      faulty({ isAuthentic: (request, secret) => slack.isAuthentic(request, secret, timeOf(request)) }),
    'believes every other time': () =>
      faulty({ isAuthentic: (request, secret, now) => slack.isAuthentic(request, secret, now) && ++asked % 2 === 1 }),
    'empties the body': () =>
      faulty({
        read: request => {
          const command = slack.read(request);
          request.body.fill(0);
          return command;
        },
      }),
    'takes commands for probes': () => faulty({ isProbe: ({ body }) => body.includes('team_id') }),
    'knows no probes': () => faulty({ isProbe: () => false }),
    'answers anywhere': () => faulty({ isReplyUrl: () => true }),
    'answers to hosts that begin alike': () =>
      faulty({ isReplyUrl: url => url.startsWith('https://hooks.slack.com') && URL.canParse(url) }),
    'answers without encryption': () =>
      faulty({ isReplyUrl: url => slack.isReplyUrl(url.replace('http://', 'https://')) }),
    'replies nothing': () => faulty({ reply: () => ({}) }),
    'replies what JSON does not know': () =>
      faulty({ reply: text => ({ ...slack.reply(text), extra: undefined }) as never }),
    'escapes nothing': () => faulty({ reply: text => ({ text }) }),
  },
});

/** Writes lines to a list, as the default implementation writes them to the log. */
class Lines {
  readonly lines: string[] = [];
  isCutOff = false;

  record(event: SecurityEvent): void {
    if (!this.isCutOff) this.lines.push(JSON.stringify(event));
  }
}

/** A receiver of security events, with what its contract also needs. */
interface Receiver {
  readonly events: { record(event: SecurityEvent): void };
  readonly lines: readonly string[];
  readonly cutOff?: () => void;
}

const receiver = (lines: Lines, cutOff = (): void => void (lines.isCutOff = true)): Receiver => ({
  events: lines,
  lines: lines.lines,
  cutOff,
});

function logged(): Receiver {
  const lines: string[] = [];
  const keep = (line: unknown): void => void lines.push(String(line));
  Logger.overrideLogger({ log: keep, warn: keep, error: keep });
  return { events: new LoggedSecurityEvents(new SystemClock()), lines };
}

const broken = (record: (lines: Lines, event: SecurityEvent) => unknown): (() => Receiver) => {
  return () => {
    const lines = new Lines();
    const events = { record: (event: SecurityEvent) => record(lines, event) };
    return { ...receiver(lines), events };
  };
};

holds<Receiver>('SecurityEvents', {
  cases: ({ events, lines, cutOff }) =>
    securityEventsContract(() => ({ events, arrived: () => lines, ...(cutOff && { cutOff }) })),
  kept: { 'lines of the log': logged, 'a list of lines': () => receiver(new Lines()) },
  broken: {
    'needs an actor': broken((lines, event) => (event.actor ? lines.record(event) : thrown('no actor'))),
    'refuses long texts': broken((lines, event) => (event.reason.length > 100 ? thrown('long') : lines.record(event))),
    'answers a promise': broken(async (lines, event) => lines.record(event)),
    'changes the event': broken((lines, event) => {
      lines.record(event);
      Object.assign(event, { reason: '' });
    }),
    'is full after a while': broken((lines, event) =>
      lines.lines.length > 100 ? thrown('full') : lines.record(event),
    ),
    'leaves the address out': broken((lines, event) => lines.record({ ...event, address: null })),
    'drops what comes after a flood': broken((lines, event) => void (lines.lines.length < 100 && lines.record(event))),
    'throws when it is cut off': broken((lines, event) => (lines.isCutOff ? thrown('away') : lines.record(event))),
  },
});
