import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Canaries } from '../../security/canary/canaries.js';
import { sightings, sightingsInTables } from '../../security/canary/sinks.js';
import { makeAuthority, trustInThisProcess } from '../../support/certificates.js';
import { PagingAdapter } from '../../support/itsm/paging-adapter.js';
import { startPlatform, type PlatformEndpoint } from '../../support/itsm/platform-endpoint.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { LOOPBACK_ALLOWED } from '../../support/webhooks.js';
import { deskStage, type DeskStage } from './tickets.support.js';

const canaries = new Canaries();
const KEY = canaries.make('routing key');

describe('a secret that is sent in bodies', () => {
  let distrust: () => void;
  let platform: PlatformEndpoint;
  let app: TestApp;
  let stage: DeskStage;
  let status: number;
  let name: string;
  let refusals = 0;
  const written: string[] = [];

  beforeAll(async () => {
    const authority = await makeAuthority();
    distrust = trustInThisProcess(authority.caPem);
    // A platform that repeats every request in its answer.
    platform = await startPlatform({ authority }, ({ body, json }) => ({
      status,
      json: { [name]: `P-1 ${body.toString()}`, received: json ?? null, ...(name === 'id' && { id: 'P-1' }) },
    }));
    for (const stream of [process.stdout, process.stderr]) {
      jest.spyOn(stream, 'write').mockImplementation(chunk => written.push(String(chunk)) > 0);
    }
    app = await startTestApp({ ...LOOPBACK_ALLOWED, itsmAdapters: [PagingAdapter] });
    const connector = { kind: 'paging', settings: { url: platform.origin }, secrets: { routing_key: KEY } };
    stage = await deskStage(app, connector);
  });

  afterAll(async () => {
    await app?.close();
    await platform?.close();
    distrust?.();
    jest.restoreAllMocks();
  });

  it("reaches the platform, in a list with the adapter's content type", async () => {
    [status, name] = [202, 'id'];
    await stage.violate();
    const [ticket] = await stage.settled('created');
    const [request] = platform.received;
    expect(request?.headers['content-type']).toBe('application/vnd.paging+json');
    expect(request?.json).toEqual([
      { routing_key: KEY, key: ticket.id },
      expect.objectContaining({ op: 'add', severity: 'high' }),
    ]);
    expect(ticket.degraded.join()).toContain('"routing_key":"[hidden]"');
  });

  it('is not in the preview, which shows the list', async () => {
    const [ticket] = await stage.tickets();
    const path = `/v1/incidents/${ticket.incident_id}/tickets`;
    const preview = await stage.call('POST', path, { preview: true, title_template: '{{ severity }}' });
    expect([preview.status, preview.body.body]).toEqual([200, [expect.objectContaining({ op: 'add', title: 'high' })]]);
  });

  it.each([
    ['with status 200', 200, 'errors'],
    ['with status 202', 202, 'errors'],
    ['with status 400', 400, 'errors'],
    ['in an unknown format', 400, 'reason'],
    ['with status 500', 500, 'errors'],
  ])('is hidden in a refusal %s', async (_what, answered, field) => {
    [status, name] = [answered, field];
    await stage.violate(undefined, { model: `${answered}-${field}` });
    const [ticket] = await stage.settled('rejected', ++refusals);
    expect(ticket.error).toContain('[hidden]');
    await stage.call('PATCH', `/v1/itsm/connectors/${stage.connector.id}`, { name: `Paging ${answered} ${field}` });
  });

  it('is in no answer of the API, no audit entry, no log and no table', async () => {
    expect(sightings(written.join(''), canaries)).toEqual([]);
    const paths = ['/v1/itsm/tickets', '/v1/itsm/connectors', '/v1/audit-log', '/v1/incidents', '/v1/itsm/kinds'];
    for (const path of paths) {
      const { status: answered, text } = await stage.call('GET', path);
      expect([path, answered, sightings(text, canaries)]).toEqual([path, 200, []]);
    }
    expect(await sightingsInTables(app.database.url, canaries)).toEqual([]);
  });
});
