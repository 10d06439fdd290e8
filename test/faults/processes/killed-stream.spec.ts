import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AuditLog, operatorActor } from '#access';
import type { JsonObject } from '#core';
import { OrgDatabase } from '#database';
import type { SiemOptions } from '#governance';
import { ocsfFaults } from '../../../libs/siem/testing/ocsf-faults.js';
import { answer } from '../../support/endpoint-behaviours.js';
import type { GovernedProcess } from '../../support/governed-process.js';
import { moveTime, type MovedTime } from '../../support/moved-time.js';
import { IS_FULL, newChance, report, sleep, until } from './chance.js';
import { setStage, type Stage } from './stage.js';

const KILLS = IS_FULL ? 20 : 1;
/** Longer than the lease of an organization. After the death of a process, its lease lasts until it expires. */
const LEASE_MS = 61_000;
const WITHIN_MS = 60_000;

/** An event as a sink has stored it. */
type Stored = JsonObject & {
  readonly metadata: JsonObject & { readonly uid: string; readonly sequence: number };
};

let stage: Stage;
let time: MovedTime;
let writing: { stop(): Promise<number> };

beforeEach(async () => {
  stage = await setStage();
  time = await moveTime(stage.app.database);
  writing = keepWriting();
});

afterEach(async () => {
  await writing.stop();
  await stage.close();
});

/** Appends rows to the audit log until it is stopped. `stop` returns the number of the last row. */
function keepWriting(): typeof writing {
  const { app, orgId } = stage.app;
  const [database, log] = [app.get(OrgDatabase), app.get(AuditLog)];
  const end = new AbortController();
  const work = async (): Promise<void> => {
    for (let n = 0; !end.signal.aborted; n++) {
      const entry = { action: 'thing.changed', resourceType: 'thing', resourceId: `${n}`, before: null, after: { n } };
      await database.transaction(orgId, em => log.append(em, operatorActor(orgId), entry));
      await sleep(20);
    }
  };
  const done = work();
  const lastSeq = async (): Promise<number> => {
    const sql = 'select max(seq)::int as seq from governance.audit_log where org_id = $1';
    const [row] = await stage.app.database.asOwner<{ seq: number }>(sql, [orgId]);
    return row?.seq ?? 0;
  };
  return {
    stop: async () => {
      end.abort();
      await done;
      return lastSeq();
    },
  };
}

const start = (name: string, siem: SiemOptions): Promise<GovernedProcess> => stage.worker({ name, siem });

/** Waits until the stored position of the stream includes the last row. */
function untilSent(last: number): Promise<void> {
  const sql = 'select max(seq)::int as seq from governance.siem_streams where org_id = $1';
  return until(`row ${last} was accepted`, WITHIN_MS, async () => {
    const [row] = await stage.app.database.asOwner<{ seq: number }>(sql, [stage.app.orgId]);
    return row?.seq === last;
  });
}

/**
 * Checks that the rows came in order, that each came at most once without the label, and that every repetition has the
 * label.
 */
function countRows(last: number, events: readonly Stored[]): { rows: number; repeated: number } {
  const seen = new Set<string>();
  const firsts: number[] = [];
  let repeated = 0;
  for (const { metadata } of events) {
    if (seen.has(metadata.uid)) {
      repeated += 1;
      expect(metadata['labels']).toEqual(['may_be_repeated']);
    } else firsts.push(metadata.sequence);
    seen.add(metadata.uid);
  }
  expect(firsts).toEqual(Array.from({ length: last }, (_, at) => at + 1));
  return { rows: firsts.length, repeated };
}

describe('a process that is killed while it streams the audit log', () => {
  it(
    'has its records sent again, with the label, if the collector has accepted them and the position has not moved',
    async () => {
      const { endpoint } = stage;
      const siem = { url: `${endpoint.url}ingest` };
      let victim: GovernedProcess | undefined;
      let killed = 0;
      // Kills the process before it gets the answer, so that it cannot learn that its batch was accepted.
      endpoint.behave(() => {
        if (victim === undefined || killed >= KILLS) return answer(202);
        const ended = victim.end('SIGKILL');
        victim = undefined;
        killed += 1;
        return { act: ({ response }) => void ended.then(() => response.writeHead(202).end()) };
      });
      for (let kill = 1; kill <= KILLS; kill++) {
        victim = await start(`victim-${kill}`, siem);
        await until('it was killed', WITHIN_MS, () => killed === kill);
        await time.advance(LEASE_MS);
      }
      await start('survivor', siem);
      await until('the survivor sends', WITHIN_MS, () => endpoint.requestCount > KILLS);
      const last = await writing.stop();
      await untilSent(last);
      const figures = countRows(
        last,
        ofOrganization(endpoint.requests.flatMap(({ body }) => linesOf(body.toString('utf8')))),
      );
      report('killed streams to a collector', { kills: KILLS, ...figures });
      expect(figures.repeated).toBeGreaterThanOrEqual(KILLS);
    },
    KILLS * 30_000 + 120_000,
  );

  it(
    'leaves complete lines in the folder, each row once or marked as repeated, when it is killed at any moment',
    async () => {
      const chance = newChance();
      report('chance', { seed: chance.seed });
      const folder = mkdtempSync(join(tmpdir(), 'governance-siem-'));
      try {
        const ofOrg = join(folder, stage.app.orgId);
        const textOf = (): string => {
          if (!existsSync(ofOrg)) return '';
          const names = readdirSync(ofOrg).toSorted();
          return names.map(name => readFileSync(join(ofOrg, name), 'utf8')).join('');
        };
        for (let kill = 1; kill <= KILLS; kill++) {
          const before = textOf().length;
          const victim = await start(`victim-${kill}`, { folder });
          await until('it writes', WITHIN_MS, () => textOf().length > before);
          await sleep(chance.below(2_100));
          await victim.end('SIGKILL');
          await time.advance(LEASE_MS);
        }
        await start('survivor', { folder });
        const last = await writing.stop();
        await untilSent(last);
        const text = textOf();
        expect(text.endsWith('\n')).toBe(true);
        const events = linesOf(text);
        report('killed streams to a folder', { kills: KILLS, ...countRows(last, events) });
        expect(events.flatMap(ocsfFaults)).toEqual([]);
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
    KILLS * 30_000 + 120_000,
  );
});

function linesOf(text: string): Stored[] {
  return text
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line));
}

/** Audit rows of the organization of the stage. Rows of other organizations are ignored. */
function ofOrganization(events: readonly Stored[]): Stored[] {
  return events.filter(
    ({ metadata }) => metadata['log_name'] === 'audit' && metadata['tenant_uid'] === stage.app.orgId,
  );
}
