import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { AuditSink, GovernanceOptions } from 'nest-llm-governance';
import { readEnvironment } from 'nest-llm-governance';
import { Queue, QueueAuditSink } from '../../apps/examples/docs-snippets/src/queue-audit-sink.js';
import { withFiles } from '../../apps/standalone/environment.js';
import { auditEvent } from '../../libs/siem/ocsf/audit-events.js';
import { CLASSES, MAY_BE_REPEATED } from '../../libs/siem/ocsf/ocsf-event.js';
import { AuditStream } from '../../libs/siem/stream/audit-stream.js';
import { ocsfFaults } from '../../libs/siem/testing/ocsf-faults.js';
import { makeAuthority, trustInThisProcess, type Authority } from '../support/certificates.js';
import { startEndpoint } from '../support/https-endpoint.js';
import { createMigratedDatabase } from '../support/migrated-database.js';
import { startTestApp } from '../support/test-app.js';
import type { TestDatabase } from '../support/test-postgres.js';
import { blocksOf, readPage } from './markdown.js';

const PAGE = 'docs/siem.md';
const blocks = (mark: string): string[] =>
  blocksOf(PAGE)
    .filter(({ marks }) => marks[0] === mark)
    .map(({ code }) => code);

class KeptQueue extends Queue {
  readonly messages: { id: string; body: string }[] = [];

  override async publish(messages: readonly { id: string; body: string }[]): Promise<void> {
    this.messages.push(...messages);
  }
}

describe('the settings of a sink', () => {
  let database: TestDatabase;
  let authority: Authority;
  let distrust: () => void;
  let folder: string;

  beforeAll(async () => {
    database = await createMigratedDatabase();
    authority = await makeAuthority();
    distrust = trustInThisProcess(authority.caPem);
  });
  afterAll(async () => {
    distrust();
    await database.drop();
  });
  beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'siem-page-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  /** The options that the app reads from a block of the page. Some values are replaced by the test's. */
  function optionsOf(block: string, replaced: Record<string, string>): Partial<GovernanceOptions> {
    const lines = block.trim().split('\n');
    const variables = lines.map(line => /^(\w+)=(.*)$/.exec(line)?.slice(1) as [string, string]);
    const names = variables.map(([name]) => name);
    expect(names).toEqual(expect.arrayContaining(Object.keys(replaced)));
    const { options, faults } = readEnvironment(
      Object.fromEntries(withFiles({ ...Object.fromEntries(variables), ...replaced })),
    );
    expect(faults).toEqual([]);
    return options;
  }

  it('come with a statement that counts the waiting records, for the owner of the tables', async () => {
    const [statement = 'no block'] = blocks('table-size');
    expect(await database.asOwner(statement)).toEqual([{ pg_size_pretty: expect.stringMatching(/^\d+ (bytes|kB)$/) }]);
  });

  /** Runs an app with the options until it has sent its history. Returns the result of `received` then. */
  async function stream<T>(options: Partial<GovernanceOptions>, received: (orgId: string) => T): Promise<T> {
    const app = await startTestApp({
      ...{ testDatabase: database, egress: { allow: ['audit=127.0.0.0/8'] }, outbox: { workers: false } },
      ...options,
    });
    try {
      expect(await app.app.get(AuditStream, { strict: false }).send()).toBeGreaterThan(1);
      return received(app.orgId);
    } finally {
      await app.close();
    }
  }

  it('make the app write a file per organization and day to the folder', async () => {
    const options = optionsOf(blocks('folder')[0]!, { GOVERNANCE_AUDIT_SINK_FOLDER: folder });
    const lines = await stream(options, orgId => {
      const [name = '', ...more] = readdirSync(join(folder, orgId));
      expect([more, name]).toEqual([[], expect.stringMatching(/^\d{4}-\d\d-\d\d\.jsonl$/)]);
      return readFileSync(join(folder, orgId, name), 'utf8')
        .trimEnd()
        .split('\n');
    });
    for (const line of lines) expect(ocsfFaults(JSON.parse(line))).toEqual([]);
  });

  it('make the app send messages to the syslog server over TLS, verified by the file', async () => {
    const received: Buffer[] = [];
    const server = createTlsServer(await authority.issue(), socket => socket.on('data', chunk => received.push(chunk)));
    await new Promise<void>(done => void server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo;
    const file = join(folder, 'ca.pem');
    writeFileSync(file, authority.caPem);
    const options = optionsOf(blocks('syslog')[0]!, {
      GOVERNANCE_AUDIT_SINK_SYSLOG: `tls://127.0.0.1:${port}`,
      GOVERNANCE_AUDIT_SINK_SYSLOG_CA_FILE: file,
    });
    await stream(options, () => undefined);
    expect(Buffer.concat(received).toString('utf8')).toMatch(/^\d+ <110>1 .* nest-llm-governance \d+ audit - \{/);
    await new Promise(done => server.close(done));
  });

  it('make the app post to the collector with the secret', async () => {
    const endpoint = await startEndpoint({ authority });
    const [bearer = '', own = ''] = blocks('http');
    const file = join(folder, 'token');
    writeFileSync(file, 's3cret\n');
    const url = `${endpoint.url}ingest`;
    const name = 'first';
    const byToken = { GOVERNANCE_AUDIT_SINK_URL: url, GOVERNANCE_AUDIT_SINK_TOKEN_FILE: file };
    const options = optionsOf(bearer, byToken);
    await stream({ ...options, siem: { ...options.siem, name } }, () => undefined);
    await stream(optionsOf(own, { GOVERNANCE_AUDIT_SINK_URL: url }), () => undefined);
    const [first, last] = [endpoint.requests[0], endpoint.requests.at(-1)];
    expect(first?.headers).toMatchObject({ authorization: 'Bearer s3cret', 'content-type': 'application/x-ndjson' });
    expect(last?.headers).toMatchObject({ 'x-api-key': '3f5d8e2b7c60', 'content-type': 'application/json' });
    await endpoint.close();
  });

  it('let a host provide the sink of the page', async () => {
    const queue = new KeptQueue();
    const auditSink: { useFactory: () => AuditSink } = { useFactory: () => new QueueAuditSink(queue) };
    await stream({ auditSink } as Partial<GovernanceOptions>, () => undefined);
    expect(queue.messages.map(({ body }) => JSON.parse(body).metadata.uid)).toEqual(queue.messages.map(({ id }) => id));
  });
});

describe('docs/siem.md', () => {
  const record = JSON.parse(blocks('record')[0]!);

  it('shows a record that matches the schema and is created from a row of the audit log', () => {
    expect(ocsfFaults(record)).toEqual([]);
    const { metadata, unmapped } = record;
    const event = auditEvent(
      { orgId: metadata.tenant_uid, mayBeRepeated: false },
      {
        ...{ seq: metadata.sequence, id: metadata.uid, occurred_at: metadata.original_time },
        ...{ request_id: metadata.correlation_uid, action: metadata.event_code },
        ...unmapped,
        before: JSON.stringify(unmapped.before),
        after: JSON.stringify(unmapped.after),
      },
    );
    const version = { ...record.metadata.product, version: expect.any(String) };
    expect(event).toEqual({ ...record, metadata: { ...record.metadata, product: version } });
  });

  it('shows the label of records that may be repeated, and lists every class', () => {
    expect(JSON.parse(blocks('repeated')[0]!).metadata.labels).toEqual([MAY_BE_REPEATED]);
    const listed = [...readPage(PAGE).matchAll(/^\| (\d{4}) `([^`]+)` /gm)].map(([, uid, name]) => `${uid} ${name}`);
    expect(listed.toSorted()).toEqual(
      Object.values(CLASSES)
        .map(({ uid, name }) => `${uid} ${name}`)
        .toSorted(),
    );
  });
});
