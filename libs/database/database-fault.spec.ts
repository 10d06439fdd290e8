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
    ['a text that is too long to be built', new RangeError('Invalid string length')],
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
    ['a broken pipe, whose error code is as long as a code of PostgreSQL', failed('write', 'EPIPE')],
    ['a server that is shutting down', failed('terminating connection', '57P01')],
    ['a server without a free connection', failed('too many clients', '53300')],
    ['a deadlock with another transaction', failed('deadlock detected', '40P01')],
    ['a lost connection', failed('Connection terminated unexpectedly')],
    ['a statement without an answer', failed('Query read timeout')],
    ['a pool without a free connection', failed('timeout exceeded when trying to connect')],
    ["a statement that exceeds the server's timeout", failed('canceling statement', '57014')],
    ['a missing Unix socket', Object.assign(failed('connect ENOENT /run/x', 'ENOENT'), { syscall: 'connect' })],
    ['an error whose cause is one of these', failed('could not save', undefined, failed('connect', 'ETIMEDOUT'))],
  ])('is %s', (_what, error) => {
    expect(isOutage(error)).toBe(true);
  });

  it.each([
    ['a value that PostgreSQL refuses', failed('invalid input syntax', '22P02')],
    ['an error that Node.js throws', failed('Invalid URL', 'ERR_INVALID_URL')],
    ['an error whose text mentions connections, timeouts and pools', failed('no connection in this pool: timeout')],
    ['a missing file', failed('no such file', 'ENOENT')],
    ['a value that is not an error', 'Connection terminated'],
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
