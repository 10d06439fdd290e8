import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { DetectionJob } from '#anomalies';
import type { Answer, Call, TestApp } from '../../support/test-app.js';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** Today, in all tests of anomalies: a Friday. */
export const TODAY = new Date('2026-11-20T12:00:00.000Z');

/** An organization with people who use models. */
export interface Watched {
  readonly orgId: string;
  readonly call: Call;
  /** Adds a person. */
  person(fields?: object): Promise<string>;
  /** Reports requests of a person, so many days before today, at an hour of UTC, as one event. */
  use(userId: string, daysAgo: number, hour: number, requests: number, fields?: object): void;
  /** Sends what was reported. */
  send(): Promise<void>;
  /** Weeks of usual work, five requests an hour from nine to five, before today. */
  usual(userId: string, days: number, fields?: object): void;
  anomalies(query?: string): Promise<Answer['body'][]>;
}

/** An organization of its own. */
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

/** Looks for anomalies now. Passes of one organization are some minutes apart: the clock moves on. */
export async function detect(app: TestApp): Promise<void> {
  app.clock.advance(6 * 60_000);
  await app.app.get(DetectionJob, { strict: false }).detect();
}
