import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { DetectionJob } from '#anomalies';
import type { Answer, Call, TestApp } from '../../support/test-app.js';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** The current day of all anomaly tests: a Friday. */
export const TODAY = new Date('2026-11-20T12:00:00.000Z');

/** An organization with people who use models. */
export interface Watched {
  readonly orgId: string;
  readonly call: Call;
  /** Adds a user. */
  person(fields?: object): Promise<string>;
  /** Reports requests of a user as one event: this many days before today, at an hour in UTC. */
  use(userId: string, daysAgo: number, hour: number, requests: number, fields?: object): void;
  /** Sends the reported usage. */
  send(): Promise<void>;
  /** Weeks of normal usage before today: five requests an hour from nine to five. */
  usual(userId: string, days: number, fields?: object): void;
  anomalies(query?: string): Promise<Answer['body'][]>;
}

/** A separate organization. */
export async function watchedOn(app: TestApp): Promise<Watched> {
  const { orgId, call } = await app.addOrganization();
  let events: object[] = [];
  const watched: Watched = {
    orgId,
    call,
    async person(fields = {}) {
      const email = `${randomUUID()}@example.com`;
      const { status, body } = await call('POST', '/v1/users', { email, name: 'Ada', ...fields });
      expect(status).toBe(201);
      return body.id;
    },
    use(user_id, daysAgo, hour, requests, fields = {}) {
      const start = Date.parse('2026-11-20T00:00:00Z') - daysAgo * DAY_MS + hour * HOUR_MS;
      events.push({
        ...{ id: randomUUID(), user_id, provider: 'openai', model: 'gpt-4o', requests },
        ...{ occurred_at: new Date(start + 60_000).toISOString(), input_tokens: 100 * requests, output_tokens: 0 },
        ...fields,
      });
    },
    async send() {
      for (let at = 0; at < events.length; at += 1_000) {
        const { body } = await call('POST', '/v1/usage/events', { events: events.slice(at, at + 1_000) });
        expect(body).toMatchObject({ rejected: [] });
      }
      events = [];
    },
    usual(userId, days, fields = {}) {
      for (let day = 1; day <= days; day++) {
        for (let hour = 9; hour < 17; hour++) watched.use(userId, day, hour, 4 + ((day + hour) % 3), fields);
      }
    },
    async anomalies(query = '') {
      const { status, body } = await call('GET', `/v1/anomalies?limit=100${query}`);
      expect(status).toBe(200);
      return body.items;
    },
  };
  return watched;
}

/** Runs the detection now. Advances the clock first, because passes of one organization must be some minutes apart. */
export async function detect(app: TestApp): Promise<void> {
  app.clock.advance(6 * 60_000);
  await app.app.get(DetectionJob, { strict: false }).detect();
}
