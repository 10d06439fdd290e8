import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { AppLogger } from './app-logger.js';

describe('AppLogger', () => {
  afterEach(() => void jest.restoreAllMocks());

  it('prints warnings, and of what goes well only security events', () => {
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

  it('escapes control characters of a message, C1 and line separators included', () => {
    const lines: string[] = [];
    jest.spyOn(process.stdout, 'write').mockImplementation(text => lines.push(String(text)) > 0);
    new AppLogger().warn('bad \u001b[2J \u009b31m \r forged \u2028 value\nnext line', 'Governance');
    jest.restoreAllMocks();
    const line = lines.join('');
    expect(line).toContain(String.raw`bad \u001b[2J \u009b31m \u000d forged \u2028 value` + '\nnext line');
  });
});
