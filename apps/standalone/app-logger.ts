import { ConsoleLogger, type LogLevel } from '@nestjs/common';

/** How the log is written. */
export interface LogOptions {
  /** One JSON object per line, for programs. */
  json: boolean;
  /**
   * The lowest level that is written. Even if it is `warn` or above, security events and requests are written at
   * `info`.
   */
  level: AppLogLevel;
  /** Version of the app, which each line of JSON contains. */
  version?: string;
}

/** Log levels in order, the most severe first. */
export const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const;
export type AppLogLevel = (typeof LOG_LEVELS)[number];

/** Context of request logs, if request logs are enabled. */
export const ACCESS_CONTEXT = 'GovernanceAccess';
/** Context under which security events are written. */
const SECURITY = 'GovernanceSecurity';
const ALWAYS = new Set<unknown>([SECURITY, ACCESS_CONTEXT]);

/**
 * Nest's names of the levels that each of our levels includes. `log` is always included, for messages with the contexts
 * in {@link ALWAYS}.
 */
const NEST_LEVELS: Record<AppLogLevel, LogLevel[]> = {
  error: ['log', 'error', 'fatal'],
  warn: ['log', 'warn', 'error', 'fatal'],
  info: ['log', 'warn', 'error', 'fatal'],
  debug: ['debug', 'verbose', 'log', 'warn', 'error', 'fatal'],
};

/** Control characters and line ends that a terminal or a log reader may interpret, except line feed and tab. */
const UNPRINTABLE = /(?![\n\t])[\p{Cc}\u2028\u2029]/gu;
/** A message about one request begins with the id of the request. */
const REQUEST_ID = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}) (.*)$/s;

/** By default, prints warnings, errors, security events and requests. Does not print other messages below `warn`. */
export class AppLogger extends ConsoleLogger {
  private readonly tellsAll: boolean;
  private readonly version: string | undefined;

  constructor({ json, level, version }: LogOptions = { json: false, level: 'warn' }) {
    // Files and pipes get no colors.
    const colors = json || !process.stdout.isTTY ? { colors: false } : {};
    super({ logLevels: NEST_LEVELS[level], json, ...colors });
    this.tellsAll = level === 'info' || level === 'debug';
    this.version = version;
  }

  override log(message: unknown, ...rest: unknown[]): void {
    // If the level is `info` or lower, every message is printed.
    if (this.tellsAll || ALWAYS.has(rest.at(-1)) || this.isLevelEnabled('verbose')) super.log(message, ...rest);
  }

  /**
   * An error message may repeat user input. Therefore, control characters are escaped before they reach the operator's
   * terminal.
   */
  protected override stringifyMessage(message: unknown, level: LogLevel): string {
    return super.stringifyMessage(typeof message === 'string' ? printable(message) : message, level);
  }

  /** The first line of a stack trace contains the message of the error. */
  protected override printStackTrace(stack: string): void {
    super.printStackTrace(typeof stack === 'string' ? printable(stack) : stack);
  }

  /** Adds the time in ISO 8601, the version and the request id. Keeps events as JSON objects instead of text. */
  protected override stringifyJsonLogObject(written: Record<string, unknown>): string {
    const { timestamp: _number, message, level, context, ...rest } = written;
    const time = new Date().toISOString();
    const said = { context, ...fieldsOf(message, context) };
    const version = this.version === undefined ? {} : { version: this.version };
    const line = { time, level: level === 'log' ? 'info' : level, ...version, ...rest, ...said };
    // JSON.stringify leaves some control characters unescaped, for example in a stack trace. Escaping them does not
    // change the meaning of the JSON.
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
