import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { operatorActor } from '#access';
import { UsageImporter, type ImportRequest } from '#governance';
import { UserService } from '#users';
import { describeWhere } from '../support/describe-where.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

const DATA = join(import.meta.dirname, '..', '..', '..', 'shared', 'data', 'usage');
const DEPARTMENTS = ['Research', 'Sales', 'Support', 'Legal', 'Finance'];

/** One trace file. `raw` interprets its rows without the code of the import, so that both results can be compared. */
interface Trace {
  file: string;
  fields: Record<string, string>;
  timeFormat: ImportRequest['timeFormat'];
  timeOrigin?: Date;
  raw(row: string[]): { user: string; model: string; at: string; requests: number; input: number; output: number };
}

const ORIGIN = '2026-01-05T00:00:00Z';

const TRACES: Trace[] = [
  {
    file: 'ragpulse.csv.gz',
    fields: {
      user_email: '{session_id}@ragpulse.example',
      provider: 'self-hosted',
      model: 'rag-model',
      occurred_at: '{timestamp_s}',
      input_tokens: '{input_length}',
      output_tokens: '{output_length}',
    },
    timeFormat: 'seconds',
    timeOrigin: new Date(ORIGIN),
    raw: ([time, session, input, output]) => ({
      user: `${session}@ragpulse.example`,
      model: 'rag-model',
      at: new Date(Date.parse(ORIGIN) + Number(time) * 1_000).toISOString(),
      requests: 1,
      input: Number(input),
      output: Number(output),
    }),
  },
  {
    file: 'azure_conv.csv.gz',
    fields: {
      user_email: 'conversation@azure.example',
      provider: 'azure',
      model: 'gpt-4',
      occurred_at: '{TIMESTAMP}',
      input_tokens: '{ContextTokens}',
      output_tokens: '{GeneratedTokens}',
    },
    timeFormat: 'iso',
    raw: ([time, input, output]) => ({
      user: 'conversation@azure.example',
      model: 'gpt-4',
      at: `${time?.replace(' ', 'T')}Z`,
      requests: 1,
      input: Number(input),
      output: Number(output),
    }),
  },
  {
    file: 'servegen_client_hourly_requests.csv.gz',
    fields: {
      user_email: '{client}@servegen.example',
      provider: 'self-hosted',
      model: '{model}',
      occurred_at: '{hour}',
      requests: '{requests}',
      input_tokens: '0',
      output_tokens: '0',
    },
    timeFormat: 'hours',
    timeOrigin: new Date(ORIGIN),
    raw: ([model, client, hour, requests]) => ({
      user: `${client}@servegen.example`,
      model: model ?? '',
      at: new Date(Date.parse(ORIGIN) + Number(hour) * 3_600_000).toISOString(),
      requests: Number(requests),
      input: 0,
      output: 0,
    }),
  },
];

const HEADERS: Record<string, string> = {
  'ragpulse.csv.gz': 'timestamp_s,session_id,input_length,output_length',
  'azure_conv.csv.gz': 'TIMESTAMP,ContextTokens,GeneratedTokens',
  'servegen_client_hourly_requests.csv.gz': 'model,client,hour,requests',
};

/** Small files in the same format, for machines without the published traces. */
function generate(folder: string): void {
  const write = (name: string, rows: string[]): void =>
    writeFileSync(join(folder, name), gzipSync(`${HEADERS[name]}\n${rows.join('\n')}\n`));
  write(
    'ragpulse.csv.gz',
    range(400).map(n => `${n * 1_511},${n % 90}-s${n % 90},${(n * 37) % 5_000},${(n * 13) % 700}`),
  );
  write(
    'azure_conv.csv.gz',
    range(300).map(n => {
      const time = new Date(Date.UTC(2023, 10, 16, 18, 15) + n * 11_873)
        .toISOString()
        .replace('T', ' ')
        .replace('Z', '6789');
      return `${time},${(n * 97) % 4_000},${(n * 7) % 900}`;
    }),
  );
  write(
    'servegen_client_hourly_requests.csv.gz',
    range(14 * 24 * 4).map(n => `m-${n % 2},client-${n % 4},${Math.floor(n / 4)},${(n * 7_919) % 50_000}`),
  );
}

function range(length: number): number[] {
  return Array.from({ length }, (_, index) => index);
}

const generated = mkdtempSync(join(tmpdir(), 'governance-traces-'));
generate(generated);
afterAll(() => rmSync(generated, { recursive: true, force: true }));

const sources = [{ name: 'generated traces', folder: generated, isThere: true }];
sources.push({ name: 'published traces', folder: DATA, isThere: existsSync(DATA) });

for (const { name, folder, isThere } of sources) {
  // The published traces are not part of the project. The tests with generated traces always run.
  describeWhere(!isThere && 'no ../shared/data', name, () => {
    if (isThere) traceTests(folder);
    else it('are imported', () => undefined);
  });
}

function traceTests(folder: string): void {
  let app: TestApp;
  const state = mkdtempSync(join(tmpdir(), 'governance-imports-'));
  const rows = new Map(
    TRACES.map(trace => {
      const lines = gunzipSync(readFileSync(join(folder, trace.file)))
        .toString('utf8')
        .trim()
        .split('\n')
        .slice(1);
      return [trace.file, lines.map(line => trace.raw(line.split(',')))] as const;
    }),
  );
  const all = TRACES.flatMap(trace => rows.get(trace.file) ?? []);
  const departmentOf = (email: string): string =>
    DEPARTMENTS[Buffer.from(email).reduce((sum, byte) => sum + byte, 0) % DEPARTMENTS.length] ?? '';

  const importAll = async (): Promise<{ accepted: number; duplicates: number; rejected: number; empty: number }[]> => {
    const results = [];
    for (const { file, fields, timeFormat, timeOrigin } of TRACES) {
      results.push(
        await app.app.get(UsageImporter).import({
          path: join(folder, file),
          orgId: app.orgId,
          fields,
          timeFormat,
          ...(timeOrigin ? { timeOrigin } : {}),
          createUsers: true,
          shiftToNow: false,
          checkpoints: state,
        }),
      );
    }
    return results;
  };

  const sums = async (period: string): Promise<Map<string, string>> => {
    const { text } = await app.call('GET', `/v1/usage?period=${period}`, undefined, { accept: 'text/csv' });
    const [header = '', ...lines] = text.trim().split('\r\n');
    const column = (wanted: string): number => header.split(',').indexOf(wanted);
    return new Map(
      lines.map(line => {
        const cells = line.split(',');
        const pick = (...names: string[]): string => names.map(one => cells[column(one)] ?? '').join(' ');
        return [
          pick('user_email', 'model', 'period'),
          pick('total_requests', 'total_input_tokens', 'total_output_tokens'),
        ];
      }),
    );
  };

  /** Computes the same sums in PostgreSQL from the raw rows of the files, without any code of this library. */
  const expected = async (label: string): Promise<Map<string, string>> => {
    const grouped = await app.database.asOwner<{ key: string; value: string }>(
      `select "user" || ' ' || model || ' ' || to_char(at at time zone 'UTC', $1) as key,
              sum(requests) || ' ' || sum(input) || ' ' || sum(output) as value
       from raw where requests > 0 group by 1`,
      [label],
    );
    return new Map(grouped.map(({ key, value }) => [key, value]));
  };

  beforeAll(async () => {
    app = await startTestApp();
    await app.database.asOwner(
      `create table raw ("user" text, model text, at timestamptz, requests bigint, input bigint, output bigint)`,
    );
    for (let from = 0; from < all.length; from += 20_000) {
      const part = all.slice(from, from + 20_000);
      await app.database.asOwner(
        `insert into raw select * from unnest($1::text[], $2::text[], $3::timestamptz[], $4::bigint[], $5::bigint[], $6::bigint[])`,
        [
          part.map(row => row.user),
          part.map(row => row.model),
          part.map(row => row.at),
          part.map(row => row.requests),
          part.map(row => row.input),
          part.map(row => row.output),
        ],
      );
    }
    const people = [...new Set(all.map(row => row.user))].map(email => ({ email, department: departmentOf(email) }));
    await app.app.get(UserService).ensureMany(operatorActor(app.orgId), people);
  });

  afterAll(async () => {
    await app?.close();
    rmSync(state, { recursive: true, force: true });
  });

  it('are imported once per row, and importing them again changes nothing', async () => {
    const first = await importAll();
    expect(
      first.map(({ accepted, duplicates, rejected, empty }) => ({ accepted, duplicates, rejected, empty })),
    ).toEqual(
      TRACES.map(trace => {
        const real = (rows.get(trace.file) ?? []).filter(row => row.requests > 0).length;
        return { accepted: real, duplicates: 0, rejected: 0, empty: (rows.get(trace.file) ?? []).length - real };
      }),
    );
    const before = await sums('daily');
    const second = await importAll();
    expect(second.map(result => result.accepted)).toEqual(TRACES.map(() => 0));
    expect(second.map(result => result.duplicates)).toEqual(first.map(result => result.accepted));
    expect(await sums('daily')).toEqual(before);
  }, 300_000);

  it.each([
    ['hourly', 'YYYY-MM-DD"T"HH24":00:00Z"'],
    ['daily', 'YYYY-MM-DD'],
    ['weekly', 'IYYY-"W"IW'],
    ['monthly', 'YYYY-MM'],
  ])(
    "have the same figures per user, model and %s period as PostgreSQL's count of the raw rows",
    async (period, label) => {
      const reported = await sums(period);
      expect(reported.size).toBeGreaterThan(10);
      expect(reported).toEqual(await expected(label));
    },
    180_000,
  );

  it('have the same figures page by page', async () => {
    const wanted = await expected('YYYY-MM');
    const paged = new Map<string, string>();
    let cursor: string | null = null;
    do {
      const { body } = await app.call(
        'GET',
        `/v1/usage?period=monthly&limit=100${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
      );
      for (const item of body.items) {
        const key = `${item.user_email} ${item.model} ${item.period}`;
        paged.set(key, `${item.total_requests} ${item.total_input_tokens} ${item.total_output_tokens}`);
      }
      cursor = body.next_cursor;
    } while (cursor !== null);
    expect(paged).toEqual(wanted);
  });

  it('have the same decisions as an independent computation', async () => {
    const policies = [
      {
        name: 'Only research and sales',
        action: 'block',
        model: 'rag-model',
        conditions: { department: { not_in: ['Research', 'Sales', 'Support'] } },
      },
      { name: 'Watch the rest', action: 'alert', model: null, conditions: { department: { not_in: ['Research'] } } },
      {
        name: 'Ask first',
        action: 'require_approval',
        model: 'gpt-*',
        conditions: { department: { not_in: ['Legal'] } },
      },
    ];
    for (const policy of policies) expect((await app.call('POST', '/v1/policies', policy)).status).toBe(201);
    const requests = [...(rows.get('ragpulse.csv.gz') ?? []), ...(rows.get('azure_conv.csv.gz') ?? [])];
    const actual: Record<string, number> = {};
    const wanted: Record<string, number> = {};
    for (let from = 0; from < requests.length; from += 100) {
      const part = requests.slice(from, from + 100);
      const { status, body } = await app.call('POST', '/v1/decisions/batch', {
        requests: part.map(row => ({ user_email: row.user, provider: 'self-hosted', model: row.model })),
      });
      expect(status).toBe(200);
      for (const decision of body.decisions) actual[decision.action] = (actual[decision.action] ?? 0) + 1;
      for (const row of part) {
        const department = departmentOf(row.user);
        let action = 'allow';
        if (department !== 'Research') action = 'alert';
        if (row.model === 'gpt-4' && department !== 'Legal') action = 'require_approval';
        if (row.model === 'rag-model' && (department === 'Legal' || department === 'Finance')) action = 'block';
        wanted[action] = (wanted[action] ?? 0) + 1;
      }
    }
    expect(actual).toEqual(wanted);
    expect(Object.keys(wanted).length).toBeGreaterThan(2);
  });
}
