import { Inject, Injectable, Optional } from '@nestjs/common';
import { UsageFigures, UserDirectory, type DirectoryUser, type UsageFigure } from '#core';
import { LONG_READ_MS, OrgDatabase, sqlOf } from '#database';
import { isAllowed, type Comparison } from './comparison.js';
import type { TimeSlices } from './time-slices.js';
import type { UsageReport } from './simulation-report.js';
import type { RefusedRequest } from './simulation-tally.js';

const CHUNK = 2_000;
const DAY_MS = 86_400_000;
const BOUND = { timeoutMs: LONG_READ_MS };

/** Reads usage: the cost of refused requests, and the usage that a draft would affect. */
@Injectable()
export class SimulatedUsage {
  constructor(
    private readonly database: OrgDatabase,
    private readonly users: UserDirectory,
    @Optional() @Inject(UsageFigures) private readonly figures?: UsageFigures,
  ) {}

  /** Cost of requests in picodollars, by the ids of their decisions. */
  async costsOf(orgId: string, refused: readonly RefusedRequest[]): Promise<Map<string, bigint>> {
    const { figures } = this;
    if (!figures || refused.length === 0) return new Map();
    const ids = refused.map(({ decisionId }) => decisionId);
    return this.database.snapshot(orgId, em => figures.costsOf(sqlOf(em), orgId, ids), BOUND);
  }

  /**
   * Evaluates the usage of the last `days` UTC days, including today, with the current attributes of people. Null if
   * no usage is stored.
   */
  async judge(
    orgId: string,
    { to, days }: { to: Date; days: number },
    comparison: Comparison,
    slices: TimeSlices,
  ): Promise<UsageReport | null> {
    if (!this.figures) return null;
    const dates = Array.from({ length: days }, (_, back) => dateOf(new Date(to.getTime() - back * DAY_MS)));
    const sum = { requests: 0, matchedRequests: 0, refusedRequests: 0, refusedPicodollars: 0n };
    for (const date of dates) {
      for await (const figures of this.readDay(this.figures, orgId, date)) {
        const people = await this.peopleOf(orgId, figures);
        for (const figure of figures) {
          if (slices.isDue) await slices.yieldNow();
          const { userId, model, provider, requests, picodollars } = figure;
          const asked = { user_id: userId, model, provider };
          const { before, after, isMatched } = comparison.outcome({ user: people.get(userId), input: asked });
          sum.requests += requests;
          if (isMatched) sum.matchedRequests += requests;
          if (!isAllowed(before) || isAllowed(after)) continue;
          sum.refusedRequests += requests;
          sum.refusedPicodollars += picodollars;
        }
      }
    }
    return { from: dates.at(-1) ?? '', to: dates[0] ?? '', ...sum };
  }

  private async *readDay(port: UsageFigures, orgId: string, day: string): AsyncGenerator<UsageFigure[]> {
    let after: UsageFigure | undefined;
    do {
      const behind = after;
      const figures: UsageFigure[] = await this.database.snapshot(
        orgId,
        em => port.ofDay(sqlOf(em), orgId, day, CHUNK, behind),
        BOUND,
      );
      if (figures.length > 0) yield figures;
      after = figures.length === CHUNK ? figures.at(-1) : undefined;
    } while (after);
  }

  private async peopleOf(
    orgId: string,
    figures: readonly UsageFigure[],
  ): Promise<Map<string, DirectoryUser | undefined>> {
    const ids = [...new Set(figures.map(({ userId }) => userId))];
    const users = await this.users.find(
      orgId,
      ids.map(id => ({ user_id: id })),
    );
    return new Map(ids.map((id, at) => [id, users[at]]));
  }
}

function dateOf(moment: Date): string {
  return moment.toISOString().slice(0, 10);
}
