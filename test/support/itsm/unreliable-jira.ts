import type { Json } from '#core';
import type { Authority, KeyedCertificate } from '../certificates.js';
import { BEHAVIOURS, slow } from '../endpoint-behaviours.js';
import { duplicateIssues } from './duplicate-issues.js';
import { startSite, type Site } from '../../emulators/jira/site.js';
import { late, type Fault } from './platform-faults.js';

/** The faults of a slow and unreliable Jira. */
export interface JiraFaults {
  readonly certificate: KeyedCertificate;
  /** Delay of every answer in milliseconds. */
  readonly answerMs: number;
  /** One in this many creates loses its answer, although the issue is created. */
  readonly oneLostIn: number;
  /** Minimum and maximum delay of the search index in milliseconds. */
  readonly searchLagMs: readonly [number, number];
}

/** The settings that a connector needs. */
export interface JiraAccount {
  readonly settings: Site['settings'];
  readonly secrets: Site['account'];
}

/** Figures about the requests that the Jira has received. */
export interface JiraFigures {
  /** The ticket of each issue, and Jira's key of the issue. */
  readonly issues: readonly { readonly key: string; readonly name: string }[];
  readonly posts: number;
  readonly lostAnswers: number;
  readonly searches: number;
  readonly duplicates: number;
  /** Tickets with a duplicate issue, although a search should have found the first issue. */
  readonly unexplained: readonly string[];
}

/** Commands to a process with a slow Jira that loses answers. */
export interface UnreliableJira {
  listen(faults: JiraFaults): Promise<JiraAccount>;
  figures(): JiraFigures;
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

export function unreliableJira(): UnreliableJira {
  let jira: Site;
  let lostAnswers = 0;
  return {
    async listen({ certificate, answerMs, oneLostIn, searchLagMs: [least, most] }) {
      // Replaces the authority by a function that returns the existing certificate, because nothing else of the
      // authority is used.
      const authority = { issue: async () => certificate } as unknown as Authority;
      const indexLagMs = (): number => least + Math.random() * (most - least);
      // Does not validate requests with the API description, because this would take most of the time of this process.
      jira = await startSite({ authority, isStrict: false, conditions: { indexLagMs } });
      const lost: Fault = duty => {
        duty();
        lostAnswers += 1;
        return slow(answerMs, BEHAVIOURS.reset);
      };
      jira.meets('create', { choose: n => (n % oneLostIn === 0 ? lost : late(answerMs)) });
      jira.meets('search', late(answerMs));
      jira.meets('createmeta', late(answerMs));
      return { settings: jira.settings, secrets: jira.account };
    },
    figures() {
      const issues = jira.issues.all.map(({ key: name, properties, foundFrom, createdAt }) => {
        return { key: keyIn(properties), name, foundFrom: foundFrom.getTime(), createdAt: createdAt.getTime() };
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
