import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { EgressClient } from '#egress';
import { makeAuthority, trustInThisProcess } from '../../../test/support/certificates.js';
import { answer } from '../../../test/support/endpoint-behaviours.js';
import { startEndpoint, type Endpoint } from '../../../test/support/https-endpoint.js';
import { ManualClock } from '../../../test/support/manual-clock.js';
import type { SiemOptions } from '../siem.options.js';
import { recordOf } from '../testing/records.js';
import { configuredSink } from './configured-sink.js';

describe('HttpSink', () => {
  const { signal } = new AbortController();
  const egress = new EgressClient({ allow: ['audit=127.0.0.0/8'] });
  let endpoint: Endpoint;
  let distrust: () => void;

  beforeAll(async () => {
    const authority = await makeAuthority();
    distrust = trustInThisProcess(authority.caPem);
    endpoint = await startEndpoint({ authority });
  });
  beforeEach(() => {
    endpoint.behave('ok');
    endpoint.requests.splice(0);
  });
  afterAll(async () => {
    distrust();
    await egress.close();
    await endpoint.close();
  });

  const sinkWith = (options: SiemOptions, way = egress) =>
    configuredSink({ url: `${endpoint.url}ingest`, ...options }, way, new ManualClock());

  it('posts an event per line with the bearer token', async () => {
    await sinkWith({ token: 's3cret' }).write([recordOf(1), recordOf(2)], signal);
    const [request] = endpoint.requests;
    expect(request).toMatchObject({
      ...{ method: 'POST', path: '/ingest' },
      headers: { authorization: 'Bearer s3cret', 'content-type': 'application/x-ndjson' },
    });
    const lines = request!.body.toString('utf8').trimEnd().split('\n');
    expect(lines.map(line => JSON.parse(line))).toEqual([recordOf(1).event, recordOf(2).event]);
  });

  it('posts an array with a custom header if configured', async () => {
    await sinkWith({ header: 'X-Api-Key: s3:cret', format: 'json' }).write([recordOf(1)], signal);
    const [request] = endpoint.requests;
    expect(request).toMatchObject({ headers: { 'x-api-key': 's3:cret', 'content-type': 'application/json' } });
    expect(JSON.parse(request!.body.toString('utf8'))).toEqual([recordOf(1).event]);
  });

  it.each([200, 202, 204])('treats %d as accepted', async status => {
    endpoint.behave(answer(status));
    await expect(sinkWith({}).write([recordOf(1)], signal)).resolves.toBeUndefined();
  });

  it.each([302, 400, 401, 413, 429, 500, 503])('rejects if the answer is %d, without its body', async status => {
    endpoint.behave(answer(status, 'Bearer s3cret', { location: 'https://127.0.0.1:1/' }));
    await expect(sinkWith({ token: 's3cret' }).write([recordOf(1)], signal)).rejects.toThrow(
      new Error(`The collector answered ${status}.`),
    );
  });

  it('calls no private address unless egress.allow names it for audit', async () => {
    const strict = new EgressClient({ allow: ['webhooks=127.0.0.0/8'] });
    await expect(sinkWith({}, strict).write([recordOf(1)], signal)).rejects.toThrow('egress.allow');
    expect(endpoint.requests).toEqual([]);
    await strict.close();
  });

  it.each<[SiemOptions, string]>([
    [{ folder: '/x', url: 'https://a' }, 'siem: folder and url are set; keep one of GOVERNANCE_AUDIT_SINK_FOLDER, '],
    [{ url: 'https://a', token: 't', header: 'A: b' }, 'siem: token and header are set; keep one of'],
  ])('is refused at boot if options contradict: %j', (options, message) => {
    expect(() => configuredSink(options, egress, new ManualClock())).toThrow(message);
  });
});
