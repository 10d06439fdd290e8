import { ConsoleLogger, type LogLevel } from '@nestjs/common';

/** How the log is written. */
export interface LogOptions {
  /** One JSON object per line, for programs. */
  json: boolean;
  /** The least grave level that is written; of `warn` and above, what goes well is security events and requests only. */
  level: AppLogLevel;
  /** Version of the app, which stands in each line of JSON. */
  version?: string;
}

/** Levels of the log, the gravest first. */
export const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const;
export type AppLogLevel = (typeof LOG_LEVELS)[number];

/** Context of the lines about requests, where they are switched on. */
export const ACCESS_CONTEXT = 'GovernanceAccess';
/** Context under which security events are written. */
const SECURITY = 'GovernanceSecurity';
const ALWAYS = new Set<unknown>([SECURITY, ACCESS_CONTEXT]);

/** What Nest calls the levels up to one of ours. `log` is always among them, for what {@link ALWAYS} names. */
const NEST_LEVELS: Record<AppLogLevel, LogLevel[]> = {
  error: ['log', 'error', 'fatal'],
  warn: ['log', 'warn', 'error', 'fatal'],
  info: ['log', 'warn', 'error', 'fatal'],
  debug: ['debug', 'verbose', 'log', 'warn', 'error', 'fatal'],
};

/** Control characters and ends of lines on which a terminal or a reader of lines may act, except `\n` and the tabulator. */
const UNPRINTABLE = /(?![\n\t])[\p{Cc}\u2028\u2029]/gu;
/** A message about one request begins with its id. */
const REQUEST_ID = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}) (.*)$/s;

/** Prints warnings and worse by default; of what goes well, only security events, such as a sign-in, and requests. */
export class AppLogger extends ConsoleLogger {
  private readonly tellsAll: boolean;
  private readonly version: string | undefined;

  constructor({ json, level, version }: LogOptions = { json: false, level: 'warn' }) {
    // Colors are for people: a file or a pipe gets none.
    const colors = json || !process.stdout.isTTY ? { colors: false } : {};
    super({ logLevels: NEST_LEVELS[level], json, ...colors });
    this.tellsAll = level === 'info' || level === 'debug';
    this.version = version;
  }

  override log(message: unknown, ...rest: unknown[]): void {
    // A more talkative logger prints the rest, too.
    if (this.tellsAll || ALWAYS.has(rest.at(-1)) || this.isLevelEnabled('verbose')) super.log(message, ...rest);
  }

  /** The message of an error may repeat what somebody sent: it must not act on the operator's terminal. */
  protected override stringifyMessage(message: unknown, level: LogLevel): string {
    return super.stringifyMessage(typeof message === 'string' ? printable(message) : message, level);
  }

  /** The first line of a stack is the message of the error. */
  protected override printStackTrace(stack: string): void {
    super.printStackTrace(typeof stack === 'string' ? printable(stack) : stack);
  }

  /** Time in ISO 8601, the version, the id of the request, and events as objects. */
  protected override stringifyJsonLogObject(written: Record<string, unknown>): string {
    const { timestamp: _number, message, level, context, ...rest } = written;
    const time = new Date().toISOString();
    const said = { context, ...fieldsOf(message, context) };
    const version = this.version === undefined ? {} : { version: this.version };
    const line = { time, level: level === 'log' ? 'info' : level, ...version, ...rest, ...said };
    // JSON leaves some control characters as they are, in a stack for example; escaped they are the same JSON.
    return printable(super.stringifyJsonLogObject(line));
  }
}

function fieldsOf(message: unknown, context: unknown): Record<string, unknown> {
  if (typeof message !== 'string') return { message };
  if (ALWAYS.has(context) && message.startsWith('{')) return { event: JSON.parse(message) as unknown };
  const [, requestId, text] = REQUEST_ID.exec(message) ?? [];
  return requestId === undefined
    ? { message: printable(message) }
    : { request_id: requestId, message: printable(text ?? '') };
}

function printable(text: string): string {
  return text.replace(UNPRINTABLE, each => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
