import { describe, expect, it } from '@jest/globals';
import { databaseFault, isDataFault, isOutage } from './database-fault.js';

const failed = (message: string, code?: string, cause?: Error): Error =>
  Object.assign(new Error(message, { cause }), { code });

describe('an invalid value', () => {
  it.each([
    ['a value that PostgreSQL refuses', failed('invalid input syntax', '22P02')],
    [
      'a statement that is more than PostgreSQL can hold',
      failed('could not save', undefined, failed('limit', '54000')),
    ],
    ['a text that would be too long', new RangeError('Invalid string length')],
  ])('is %s', (_what, error) => {
    expect(isDataFault(error)).toBe(true);
    expect(isOutage(error)).toBe(false);
  });

  it('is not an unavailable server', () => {
    expect(isDataFault(failed('connect', 'ECONNREFUSED'))).toBe(false);
    expect(isDataFault(failed('too many clients', '53300'))).toBe(false);
  });
});

describe('an outage', () => {
  it.each([
    ['a connection that is refused', failed('connect', 'ECONNREFUSED')],
    ['a pipe that is broken, whose code has the length of a state of PostgreSQL', failed('write', 'EPIPE')],
    ['a server that shuts down', failed('terminating connection', '57P01')],
    ['a server that has no connection left', failed('too many clients', '53300')],
    ['a deadlock, which was somebody else’s turn', failed('deadlock detected', '40P01')],
    ['a connection that was lost', failed('Connection terminated unexpectedly')],
    ['a statement that got no answer', failed('Query read timeout')],
    ['a pool without a free connection', failed('timeout exceeded when trying to connect')],
    ['a statement that took longer than the server allows', failed('canceling statement', '57014')],
    [
      'a Unix socket that is not there',
      Object.assign(failed('connect ENOENT /run/x', 'ENOENT'), { syscall: 'connect' }),
    ],
    ['what was caused by one', failed('could not save', undefined, failed('connect', 'ETIMEDOUT'))],
  ])('is %s', (_what, error) => {
    expect(isOutage(error)).toBe(true);
  });

  it.each([
    ['a value that PostgreSQL refuses', failed('invalid input syntax', '22P02')],
    ['an error that Node.js throws by itself', failed('Invalid URL', 'ERR_INVALID_URL')],
    ['an error whose text speaks of connections, time-outs and pools', failed('no connection in this pool: timeout')],
    ['a file that is not there', failed('no such file', 'ENOENT')],
    ['what is no error', 'Connection terminated'],
  ])('is not %s', (_what, error) => {
    expect(isOutage(error)).toBe(false);
  });
});

describe('databaseFault', () => {
  it.each([
    ['22P02', 'value'],
    ['54000', 'value'],
    ['23505', 'constraint'],
    ['40001', 'contention'],
    ['55P03', 'contention'],
    ['57014', 'outage'],
    ['42601', undefined],
  ])('classifies SQLSTATE %s as %s', (code, fault) => {
    expect(databaseFault(failed('m', code))).toBe(fault);
    expect(databaseFault(failed('wrapped', undefined, failed('m', code)))).toBe(fault);
  });
});
