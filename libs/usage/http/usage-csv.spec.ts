import { describe, expect, it } from '@jest/globals';
import { NO_FIGURES } from '../figures/index.js';
import type { UsageSummary } from '../report/usage-report.service.js';
import { csvFile } from './usage-csv.js';

const LINE: UsageSummary = {
  userId: 'u',
  userEmail: undefined,
  model: 'm',
  provider: 'p',
  period: '2026-11-20',
  figures: {
    ...NO_FIGURES,
    requests: 1n,
    inputTokens: 2n,
    outputTokens: 3n,
    picodollars: 100_000_000_000n,
    listPicodollars: 125_000_000_000n,
  },
};

async function* pieces(...made: (UsageSummary[] | Error)[]): AsyncGenerator<UsageSummary[]> {
  for (const piece of made) {
    await Promise.resolve();
    if (piece instanceof Error) throw piece;
    yield piece;
  }
}

describe('csvFile', () => {
  it('writes the header once and the lines of every chunk', async () => {
    const file = await csvFile(pieces([LINE], [LINE, LINE], []));
    let text = '';
    for await (const chunk of file.getStream()) text += String(chunk);
    expect(text.split('\r\n')).toHaveLength(5);
    expect(text.split('\r\n')[3]).toBe('2026-11-20,u,,m,p,1,2,3,0.100000000000,0,0,0,0,0.125000000000');
  });

  it('is only a header if there is no usage', async () => {
    const file = await csvFile(pieces([]));
    let text = '';
    for await (const chunk of file.getStream()) text += String(chunk);
    expect(text).toMatch(/^period,.*\r\n$/);
  });

  it('fails with an error if the first chunk fails', async () => {
    await expect(csvFile(pieces(new Error('no database')))).rejects.toThrow('no database');
  });

  it('closes the connection if a later chunk fails, so that a truncated report is not treated as complete', async () => {
    const file = await csvFile(pieces([LINE], new Error('lost')));
    const calls: string[] = [];
    const response = {
      destroyed: false,
      headersSent: true,
      statusCode: 200,
      send: () => calls.push('send'),
      end: () => calls.push('end'),
      destroy: () => calls.push('destroy'),
    };
    const stream = file.getStream();
    const failed = new Promise<void>(done => {
      stream.on('error', error => {
        file.errorHandler(error, response);
        done();
      });
    });
    stream.resume();
    await failed;
    expect(calls).toEqual(['destroy']);
  });
});
