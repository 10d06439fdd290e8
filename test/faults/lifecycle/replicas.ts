import { EgressClient, type EgressRequest } from '#egress';
import { SystemClock } from '#core';
import type { ForRootOptions } from '#governance';
import { makeAuthority, trustInThisProcess } from '../../support/certificates.js';
import { startEndpoint, type Endpoint } from '../../support/https-endpoint.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { createMigratedDatabase } from '../../support/migrated-database.js';
import type { TestDatabase } from '../../support/test-postgres.js';
import { LOOPBACK_ALLOWED } from '../../support/webhooks.js';

/** A POST at the time when a replica starts it. */
export interface BegunPost {
  /** The number of the replica, beginning with 0. */
  by: number;
  url: string;
  headers: Record<string, string>;
  body: Buffer;
  /** The time of the start, by `performance.now()`. */
  tick: number;
}

/** Replicas of one host on one database, all in this process, and an endpoint that all of them may call. */
export interface Replicas {
  readonly database: TestDatabase;
  readonly endpoint: Endpoint;
  /** Every POST of every replica, in the order of their starts. */
  readonly begun: BegunPost[];
  /** Starts another replica. The first organization is that of the first replica. */
  start(options?: Partial<ForRootOptions>): Promise<TestApp>;
  /** Stops a replica. */
  stop(replica: TestApp): Promise<void>;
  close(): Promise<void>;
}

/** Prepares database and endpoint for replicas. */
export async function prepareReplicas(): Promise<Replicas> {
  const authority = await makeAuthority();
  const distrust = trustInThisProcess(authority.caPem);
  const endpoint = await startEndpoint({ authority });
  const database = await createMigratedDatabase();
  const running = new Set<TestApp>();
  const begun: BegunPost[] = [];
  let orgId: string | undefined;
  let started = 0;
  const stop = async (replica: TestApp): Promise<void> => {
    if (running.delete(replica)) await replica.close();
  };
  return {
    database,
    endpoint,
    begun,
    start: async options => {
      const replica = await startTestApp({
        ...LOOPBACK_ALLOWED,
        clock: SystemClock,
        ...options,
        testDatabase: database,
        ...(orgId === undefined ? {} : { orgId }),
      });
      orgId ??= replica.orgId;
      running.add(replica);
      watch(replica.app.get(EgressClient), started++);
      return replica;
    },
    stop,
    close: async () => {
      await Promise.all([...running].map(stop));
      await endpoint.close();
      await database.drop();
      distrust();
    },
  };

  /** Records a POST before it is sent. The arrival time is less exact, because it includes the transfer. */
  function watch(egress: EgressClient, by: number): void {
    const send = egress.send.bind(egress);
    egress.send = (request: EgressRequest) => {
      const { url, headers, body = Buffer.alloc(0) } = request;
      begun.push({ by, url, headers, body, tick: performance.now() });
      return send(request);
    };
  }
}
