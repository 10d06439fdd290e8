import type { Json } from '#core';
import type { Authority, KeyedCertificate } from '../certificates.js';
import { BEHAVIOURS, slow } from '../endpoint-behaviours.js';
import { duplicateIssues } from './duplicate-issues.js';
import { startJira, type JiraEmulator } from './jira-emulator.js';
import { late, type Fault } from './platform-faults.js';

/** How a Jira is that is hard to work with. */
export interface Storminess {
  readonly certificate: KeyedCertificate;
  /** After how many milliseconds everything is answered. */
  readonly answerMs: number;
  /** Of so many answers to a create one is lost, though the issue is there. */
  readonly oneLostIn: number;
  /** How many milliseconds a search is behind, at least and at most. */
  readonly searchLagMs: readonly [number, number];
}

/** What is needed for a connector. */
export interface StormyAccount {
  readonly settings: JiraEmulator['settings'];
  readonly secrets: JiraEmulator['secrets'];
}

/** What it has seen. */
export interface StormFigures {
  /** The ticket of each issue, and what Jira calls it. */
  readonly issues: readonly { readonly key: string; readonly name: string }[];
  readonly posts: number;
  readonly lostAnswers: number;
  readonly searches: number;
  readonly duplicates: number;
  /** Tickets with an issue too many of which a search should have known. */
  readonly unexplained: readonly string[];
}

/** The commands of a process that is a slow Jira, which loses answers. */
export interface StormyJira {
  listen(storminess: Storminess): Promise<StormyAccount>;
  figures(): StormFigures;
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

export function stormyJira(): StormyJira {
  let jira: JiraEmulator;
  let lostAnswers = 0;
  return {
    async listen({ certificate, answerMs, oneLostIn, searchLagMs: [least, most] }) {
      // The certificate is there already; nothing else is asked of who issues it.
      const authority = { issue: async () => certificate } as unknown as Authority;
      const searchDelayMs = (): number => least + Math.random() * (most - least);
      // Holding a thousand requests against the description of the API would be most of the work of this process.
      jira = await startJira({ authority, searchDelayMs, isHeldToApi: false });
      const lost: Fault = duty => {
        duty();
        lostAnswers += 1;
        return slow(answerMs, BEHAVIOURS.reset);
      };
      jira.meets('create', { choose: n => (n % oneLostIn === 0 ? lost : late(answerMs)) });
      jira.meets('search', late(answerMs));
      jira.meets('createmeta', late(answerMs));
      return { settings: jira.settings, secrets: jira.secrets };
    },
    figures() {
      const issues = jira.issues.map(({ key: name, sent, foundFrom, updatedAt }) => {
        return { key: keyIn(sent.properties?.[0]?.value), name, foundFrom, createdAt: updatedAt.getTime() };
      });
      const searches = jira.requestsOf('search').map(({ json, arrivedAt }) => ({ key: keyIn(json), at: arrivedAt }));
      const duplicates = duplicateIssues(issues, searches);
      return {
        issues: issues.map(({ key, name }) => ({ key, name })),
        posts: jira.requestsOf('create').length,
        lostAnswers,
        searches: searches.length,
        duplicates: duplicates.length,
        unexplained: duplicates.filter(({ isExplained }) => !isExplained).map(({ key }) => key),
      };
    },
  };
}

function keyIn(value: Json | undefined): string {
  return UUID.exec(JSON.stringify(value) ?? '')?.[0] ?? '';
}
