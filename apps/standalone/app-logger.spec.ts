import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { AppLogger } from './app-logger.js';

describe('AppLogger', () => {
  afterEach(() => void jest.restoreAllMocks());

  it('prints warnings and errors, and security events of lower levels', () => {
    const lines: string[] = [];
    const keep = (text: unknown): boolean => lines.push(String(text)) > 0;
    for (const stream of [process.stdout, process.stderr]) jest.spyOn(stream, 'write').mockImplementation(keep);
    const logger = new AppLogger();
    logger.log('mapped a route', 'RouterExplorer');
    logger.log('no context');
    logger.log('{"event":"sign_in"}', 'GovernanceSecurity');
    logger.warn('disk is full', 'Governance');
    jest.restoreAllMocks();
    expect(lines.map(line => /sign_in|disk is full/.exec(line)?.[0])).toEqual(['sign_in', 'disk is full']);
  });

  it('escapes control characters of a message, including C1 characters and line separators', () => {
    const lines: string[] = [];
    jest.spyOn(process.stdout, 'write').mockImplementation(text => lines.push(String(text)) > 0);
    new AppLogger().warn('bad \u001b[2J \u009b31m \r forged \u2028 value\nnext line', 'Governance');
    jest.restoreAllMocks();
    const line = lines.join('');
    expect(line).toContain(String.raw`bad \u001b[2J \u009b31m \u000d forged \u2028 value` + '\nnext line');
  });

  it.each([true, false])('escapes control characters of a stack, too, if json is %s', json => {
    const lines: string[] = [];
    const keep = (text: unknown): boolean => lines.push(String(text)) > 0;
    for (const stream of [process.stdout, process.stderr]) jest.spyOn(stream, 'write').mockImplementation(keep);
    const stack = 'Error: bad \u001b[2J \u009b31m \u2028 value\n    at somewhere (file.ts:1:2)';
    new AppLogger({ json, level: 'warn' }).error('it failed', stack, 'Governance');
    jest.restoreAllMocks();
    const written = lines.join('');
    expect(written).toContain(String.raw`bad \u001b[2J \u009b31m \u2028 value`);
    expect(written.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u2028]/u);
    if (json) expect(JSON.parse(written)).toMatchObject({ stack });
  });

  it('writes one JSON object per line, with level, version and request id, and events as objects', () => {
    const lines: string[] = [];
    const keep = (text: unknown): boolean => lines.push(String(text)) > 0;
    for (const stream of [process.stdout, process.stderr]) jest.spyOn(stream, 'write').mockImplementation(keep);
    const logger = new AppLogger({ json: true, level: 'warn', version: '1.2.3' });
    logger.log('not told');
    logger.log('{"event":"sign_in"}', 'GovernanceSecurity');
    logger.error('0f0b7f0e-9a3b-4c59-9b25-6a3b9f2f6f9e the database\nis \u001b[2J away', 'Governance');
    jest.restoreAllMocks();
    expect(lines.join('')).not.toContain('\u001b');
    const written = lines
      .join('')
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line) as object);
    const always = { pid: process.pid, version: '1.2.3', time: expect.stringMatching(/^\d{4}-.*Z$/) };
    expect(written).toEqual([
      { ...always, level: 'info', context: 'GovernanceSecurity', event: { event: 'sign_in' } },
      {
        ...always,
        level: 'error',
        context: 'Governance',
        request_id: '0f0b7f0e-9a3b-4c59-9b25-6a3b9f2f6f9e',
        message: String.raw`the database` + '\n' + String.raw`is \u001b[2J away`,
      },
    ]);
  });

  it('also prints informational messages if the level is info', () => {
    const lines: string[] = [];
    jest.spyOn(process.stdout, 'write').mockImplementation(text => lines.push(String(text)) > 0);
    new AppLogger({ json: false, level: 'info' }).log('mapped a route', 'RouterExplorer');
    jest.restoreAllMocks();
    expect(lines.join('')).toContain('mapped a route');
  });
});
