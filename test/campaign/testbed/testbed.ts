import { mkdtempSync, rmSync } from 'node:fs';
import { randomBytes, randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeAuthority } from '../../support/certificates.js';
import { startSite, type Site } from '../../emulators/jira/site.js';
import { startInstance, type Instance } from '../../emulators/servicenow/instance.js';
import { startProvider, type Provider } from '../../support/providers/provider.js';
import { runToEnd } from '../../support/standalone-process.js';
import { JournalFile } from '../journal.js';
import { Cluster } from './cluster.js';
import type { Database } from './database.js';
import { setUpOrganization, type Organization } from './organization.js';
import { startReceivers, type Receivers } from './receivers.js';
import { Replica } from './replicas.js';
import { SingleServer } from './single-server.js';

/** One in this many requests that create a ticket loses its answer. */
const ONE_CREATE_LOST_IN = 4;
const SERVICE_NOW = { username: 'svc-governance', password: 'of this campaign' };

/** Everything that runs during a campaign. */
export interface Testbed {
  readonly folder: string;
  readonly database: Database;
  readonly replicas: readonly Replica[];
  readonly receivers: Receivers;
  readonly provider: Provider;
  readonly jira: Site;
  readonly serviceNow: Instance;
  readonly orgId: string;
  readonly adminToken: string;
  /** The administrator's token of another organization. */
  readonly otherToken: string;
  readonly organization: Organization;
  /** Runs a command of the app with the database. */
  cli(args: string[]): ReturnType<typeof runToEnd>;
  close(): Promise<void>;
}

export interface TestbedOptions {
  readonly seed: number;
  readonly replicas: number;
  readonly plant: string | undefined;
  /** Whether the database is a cluster whose primary fails. */
  readonly failover: boolean;
}

/** Starts everything and sets up an organization. */
export async function startTestbed({ seed, replicas: count, plant, failover }: TestbedOptions): Promise<Testbed> {
  const folder = mkdtempSync(join(tmpdir(), 'governance-campaign-'));
  const authority = await makeAuthority('Campaign authority');
  const database = await (failover ? Cluster : SingleServer).start();
  const receivers = await startReceivers(authority, new JournalFile(join(folder, 'posts.jsonl')), seed);
  const provider = await startProvider({ kind: 'openai' });
  provider.behave({ outputTokens: 40, delayMs: 10 }, 'gpt-4o');
  const jira = await startSite({ authority, isStrict: false });
  jira.meets('create', { choose: n => (n % ONE_CREATE_LOST_IN === 0 ? 'lost answer' : undefined) });
  const serviceNow = await startInstance({ authority, account: SERVICE_NOW, now: () => new Date() });
  const [orgId, adminToken] = [randomUUID(), randomBytes(24).toString('hex')];
  const environment = {
    GOVERNANCE_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    GOVERNANCE_ORG_ID: orgId,
    GOVERNANCE_ADMIN_TOKEN: adminToken,
    GOVERNANCE_EGRESS_ALLOW: '127.0.0.0/8,gateway=127.0.0.0/8',
    GOVERNANCE_RATE_LIMIT: '0',
    NODE_EXTRA_CA_CERTS: authority.caFile(),
    NODE_COMPILE_CACHE: join(folder, 'compiled'),
  };
  const names = Array.from({ length: count }, (_, at) => `replica ${at + 1}`);
  const settings = { environment, databaseUrl: database.url, plant };
  const replicas = await Promise.all(names.map(name => Replica.open(name, settings)));
  const cli = (args: string[]): ReturnType<typeof runToEnd> =>
    runToEnd('cli', args, { ...environment, DATABASE_URL: database.url });
  database.followed(port => replicas.forEach(replica => replica.link.leadTo(port)));
  const close = async (): Promise<void> => {
    await Promise.all(replicas.map(replica => replica.close()));
    await Promise.allSettled([receivers.endpoint.close(), provider.close(), jira.close(), serviceNow.close()]);
    await database.stop();
    rmSync(join(folder, 'compiled'), { recursive: true, force: true });
  };
  try {
    // The first replica creates the tables.
    for (const replica of replicas) await replica.start();
    const organization = await setUpOrganization(replicas[0]?.url ?? '', adminToken, {
      receivers,
      provider,
      connectors: [
        { kind: 'jira', name: 'Jira', settings: jira.settings, secrets: jira.account },
        {
          ...{ kind: 'servicenow', name: 'ServiceNow', secrets: SERVICE_NOW },
          settings: { instance_url: serviceNow.origin },
        },
      ],
    });
    const other = await cli(['org', 'create', '--name', 'Other', '--json']);
    if (other.code !== 0) throw new Error(`no other organization: ${other.stderr}`);
    const otherToken = String(Object(JSON.parse(other.stdout)).token);
    return {
      ...{ folder, database, replicas, receivers, provider, jira, serviceNow },
      ...{ orgId, adminToken, otherToken, organization, cli, close },
    };
  } catch (error) {
    await close();
    throw error;
  }
}
