import { randomUUID } from 'node:crypto';
import { makeAuthority, trustInThisProcess } from '../../../support/certificates.js';
import { startDnsServer, type DnsServer } from '../../../support/dns-server.js';
import { fieldProject, prioritiesNamed, TEAM_FIELD } from '../../../emulators/jira/project.js';
import { startSite, type Site } from '../../../emulators/jira/site.js';
import { FAULTS, type Fault, type FaultName } from '../../../support/itsm/platform-faults.js';
import { toBehaviour, type PlatformEndpoint, type PlatformRequest } from '../../../support/itsm/platform-endpoint.js';
import { startInstance, type Instance } from '../../../emulators/servicenow/instance.js';
import { startTestApp, type TestApp } from '../../../support/test-app.js';
import { deskStage, type DeskStage } from '../tickets.support.js';

export const KINDS = ['servicenow', 'jira'] as const;
export type Kind = (typeof KINDS)[number];

/** A host name for both platforms. It works as long as the test's DNS server resolves it. */
export const NAME = 'desk.test';

/** A platform behind TLS, and the requests since the last reset. */
export interface Platform {
  readonly endpoint: PlatformEndpoint;
  /** Fields of a connector for the platform. */
  connector(settings?: object): { kind: Kind; name: string; settings: Record<string, string>; secrets: object };
  /** Sets the fault of requests that create a ticket. Without an argument, they succeed. */
  meets(fault?: FaultName | Fault): void;
  /** Requests that create a ticket. */
  posts(): readonly PlatformRequest[];
  /** Searches for tickets. */
  searches(): readonly PlatformRequest[];
  /** The existing tickets: key, and id on the platform. */
  there(): readonly { key: string; name: string }[];
  /** Forgets the requests and tickets of the platform. */
  quieten(): void;
}

/** An app with both platforms. */
export interface Platforms {
  readonly app: TestApp;
  readonly servicenow: Platform & { readonly emulator: Instance };
  readonly jira: Platform & { readonly emulator: Site };
  readonly dns: DnsServer;
  /** Delays the index of Jira's searches by this many milliseconds. */
  lag(milliseconds: number): void;
  /** An organization with a connector to a platform without faults. */
  desk(kind: Kind, settings?: object): Promise<DeskStage & { platform: Platform }>;
  /** Stops everything. Rejects if a platform got an invalid request. */
  close(): Promise<void>;
}

/** Credentials of the ServiceNow emulator. */
export const ACCOUNT = { username: 'svc-governance', password: 'a password of this test' };

/** The projects of the Jira. All but the first and the last have a special setting each. */
const PROJECTS = [
  fieldProject(),
  fieldProject({ id: '10001', key: 'BARE', without: ['priority', 'labels'] }),
  fieldProject({ id: '10002', key: 'GERMAN', priorities: prioritiesNamed('Dringend', 'Hoch', 'Mittel') }),
  fieldProject({ id: '10003', key: 'PICKY', more: TEAM_FIELD }),
  fieldProject({
    ...{ id: '10004', key: 'SHOUTING', types: ['TASK', 'BUG'].map((name, at) => ({ id: `1001${at}`, name })) },
    priorities: prioritiesNamed('HIGHEST', 'HIGH', 'MEDIUM', 'LOW'),
  }),
  fieldProject({ id: '10005', key: 'OTHER' }),
];

export async function startPlatforms(): Promise<Platforms> {
  const authority = await makeAuthority();
  const distrust = trustInThisProcess(authority.caPem);
  const dns = await startDnsServer(name => (name === NAME ? ['127.0.0.1'] : 'nxdomain'));
  const [servicenow, jira, app] = await Promise.all([
    startInstance({ authority, names: [NAME], account: ACCOUNT, now: () => new Date() }),
    startSite({ authority, names: [NAME], projects: PROJECTS }),
    startTestApp({
      egress: { allow: ['127.0.0.0/8', '::1/128'], nameServers: [dns.address] },
      itsm: { dashboardUrl: 'https://governance.example.com' },
    }),
  ]);
  const all = { servicenow: serviceNowPlatform(servicenow), jira: jiraPlatform(jira) };
  return {
    ...{ app, dns, ...all },
    lag: milliseconds => void (jira.conditions.indexLagMs = milliseconds),
    async desk(kind, settings) {
      // Deletes waiting tasks of an earlier test, so that they do not call the platform of this test.
      await app.database.asOwner(`delete from governance.tasks where queue = 'itsm'`);
      all[kind].quieten();
      return { ...(await deskStage(app, all[kind].connector(settings))), platform: all[kind] };
    },
    async close() {
      await app.close();
      await dns.close();
      distrust();
      await jira.close();
      await servicenow.close();
    },
  };
}

/** A ServiceNow for the cases of every platform. */
export function serviceNowPlatform(emulator: Instance): Platform & { readonly emulator: Instance } {
  const seen = platform(emulator, {
    kind: 'servicenow',
    settings: { instance_url: emulator.origin },
    secrets: ACCOUNT,
    path: /^\/api\/now\/table\/incident$/,
    isSearch: ({ method, url }) => method === 'GET' && url.search.includes('correlation_id'),
    there: () => emulator.incidents.map(each => ({ key: each['correlation_id'] ?? '', name: each['number'] ?? '' })),
  });
  return Object.assign(seen, { emulator });
}

/** A Jira for the cases of every platform. */
export function jiraPlatform(emulator: Site): Platform & { readonly emulator: Site } {
  const seen = platform(emulator, {
    kind: 'jira',
    settings: emulator.settings,
    secrets: emulator.account,
    path: /\/rest\/api\/3\/issue$/,
    isSearch: ({ url }) => url.pathname.endsWith('/search/jql'),
    there: () =>
      emulator.issues.all.map(({ key: name, properties }) => ({
        key: (properties['llm-governance.ticket'] as { key: string } | undefined)?.key ?? '',
        name,
      })),
  });
  return Object.assign(seen, { emulator });
}

interface Character {
  readonly kind: Kind;
  readonly settings: Record<string, string>;
  readonly secrets: object;
  /** The answer to a create. */
  readonly path: RegExp;
  readonly isSearch: (request: PlatformRequest) => boolean;
  readonly there: () => { key: string; name: string }[];
}

function platform(endpoint: PlatformEndpoint, { kind, settings, secrets, path, isSearch, there }: Character): Platform {
  let [seen, known] = [0, 0];
  const isCreate = ({ method, url }: PlatformRequest): boolean => method === 'POST' && path.test(url.pathname);
  const meets = (fault?: FaultName | Fault): void =>
    endpoint.intercept((request, perform) => {
      if (fault === undefined || !isCreate(request)) return undefined;
      const made = typeof fault === 'string' ? FAULTS[fault] : fault;
      return made(() => toBehaviour(perform()));
    });
  return {
    endpoint,
    connector: more => ({ kind, name: `Desk ${randomUUID()}`, settings: { ...settings, ...more }, secrets }),
    meets,
    posts: () => endpoint.received.slice(seen).filter(isCreate),
    searches: () => endpoint.received.slice(seen).filter(isSearch),
    there: () => there().slice(known),
    quieten: () => {
      meets();
      [seen, known] = [endpoint.received.length, there().length];
    },
  };
}
