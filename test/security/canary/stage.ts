import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import pg from 'pg';
import { makeDataFolder } from '../../support/data-folder.js';
import { startEmbeddedPostgres } from '../../../apps/standalone/embedded-postgres.js';
import { ensureLoginRole } from '../../../apps/standalone/login-role.js';
import type { OpenApiDocument } from '../../../scripts/client/openapi.js';
import { makeAuthority } from '../../support/certificates.js';
import { startEndpoint, type Endpoint } from '../../support/https-endpoint.js';
import { startSite, type Site } from '../../emulators/jira/site.js';
import { startInstance, type Instance } from '../../emulators/servicenow/instance.js';
import { runToEnd, startStandalone, type StandaloneProcess } from '../../support/standalone-process.js';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.js';
import { Canaries } from './canaries.js';
import { Traffic } from './traffic.js';

/**
 * The bundled app as a process with a separate database server, and all its external systems. Every secret is a canary.
 */
export interface CanaryStage {
  canaries: Canaries;
  app: StandaloneProcess;
  orgId: string;
  traffic: Traffic;
  proxy: TcpProxy;
  receiver: Endpoint;
  serviceNow: Instance;
  jira: Site;
  /** Signs a JWT of the identity provider that the app trusts. */
  signJwt: (claims: object) => Promise<string>;
  /** A connection that can read every table. */
  databaseUrl: string;
  asOwner: (sql: string, parameters?: unknown[]) => Promise<Record<string, unknown>[]>;
  /** Runs a command of the app with additional settings. Returns its output. */
  cli: (args: string[], env?: Record<string, string>) => Promise<string>;
  /** The token that the first boot created, because the operator had not set a token. */
  firstToken: string;
  /** Runs a command that creates and prints a token. The rest of the output must not contain the token. */
  makeToken: (kind: string, args: string[]) => Promise<string>;
  /** The output of all commands and of PostgreSQL. */
  logs(): string;
  close(): Promise<void>;
}

const folder = import.meta.dirname;

/** @param preload modules to load before the app, in addition to the module that enables every log level */
export async function setCanaryStage(preload: string[] = []): Promise<CanaryStage> {
  const canaries = new Canaries();
  const dataDir = makeDataFolder('governance-canary');
  const server = await startEmbeddedPostgres(dataDir, { durable: false });
  const proxy = await startTcpProxy(server.port);
  const through = (url: string): string => Object.assign(new URL(url), { port: String(proxy.port) }).href;
  const url = await ensureLoginRole(server.url, canaries.make('database password of the app'));
  canaries.add('database password of the migrations', new URL(server.url).password);

  const authority = await makeAuthority();
  const receiver = await startEndpoint({ authority });
  const secrets = {
    username: canaries.make('user name of ServiceNow'),
    password: canaries.make('password of ServiceNow', 'ä"ö/ '),
  };
  const serviceNow = await startInstance({ authority, account: secrets, isStrict: false });
  const jira = await startSite({ authority, isStrict: false });
  canaries.add('token of Jira', jira.account.api_token);
  canaries.add('account of Jira', jira.account.email);

  const orgId = randomUUID();
  const provider = await startProvider(orgId);
  const admin = canaries.make('admin token');
  const [key, oldKey] = [keyOf('k2', canaries), keyOf('k1', canaries)];
  const env = {
    NODE_OPTIONS: ['loud.mjs', ...preload].map(file => `--import=${pathToFileURL(join(folder, file)).href}`).join(' '),
    NODE_EXTRA_CA_CERTS: authority.caFile(),
    DATABASE_URL: through(url),
    GOVERNANCE_MIGRATION_URL: through(server.url),
    GOVERNANCE_DATA_DIR: dataDir,
    GOVERNANCE_KEYS: `${key},${oldKey}`,
    GOVERNANCE_ORG_ID: orgId,
    GOVERNANCE_ADMIN_TOKEN: admin,
    // Allows the app to call emulators on this machine. Their answers are stored, and may repeat secrets.
    GOVERNANCE_EGRESS_ALLOW: 'webhooks=127.0.0.0/8,tickets=127.0.0.0/8,chat=127.0.0.0/8,gateway=127.0.0.0/8',
    GOVERNANCE_RATE_LIMIT: '0',
    GOVERNANCE_METRICS: 'true',
    GOVERNANCE_IDENTITY_PROVIDERS: JSON.stringify([provider.settings]),
  };
  const { GOVERNANCE_ADMIN_TOKEN: _, ...withoutToken } = env;
  const first = await startStandalone(withoutToken);
  const firstToken = canaries.add('token of the first boot', first.token ?? '');
  await first.end('SIGTERM');
  const app = await startStandalone(env);
  const document = (await (await fetch(`${app.url}/openapi.json`)).json()) as OpenApiDocument;
  let commands = first.output();
  const asOwner = async (sql: string, parameters: unknown[] = []): Promise<Record<string, unknown>[]> => {
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(sql, parameters)).rows;
    } finally {
      await client.end();
    }
  };
  return {
    ...{ canaries, app, orgId, firstToken, proxy, receiver, serviceNow, jira, asOwner },
    ...{ traffic: new Traffic(app.url, admin, document), databaseUrl: server.url, signJwt: provider.sign },
    cli: async (args, other = {}) => {
      const { stdout, stderr } = await runToEnd('cli', args, { ...env, ...other });
      commands += stderr + stdout;
      return stdout + stderr;
    },
    makeToken: async (kind, args) => {
      const { stdout, stderr } = await runToEnd('cli', [...args, '--json'], env);
      // The last line is the result, after the log output of the start.
      const { token } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as { token: string };
      commands += stderr + stdout.replace(token, '');
      return canaries.add(kind, token);
    },
    logs: () => commands + readFileSync(join(dataDir, 'postgres.log'), 'utf8'),
    async close() {
      if (!app.hasEnded()) await app.end('SIGTERM');
      await Promise.all([receiver.close(), serviceNow.close(), jira.close(), provider.close(), proxy.close()]);
      await server.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

function keyOf(id: string, canaries: Canaries): string {
  const bytes = crypto.getRandomValues(Buffer.alloc(32));
  canaries.add(`key ${id} of the keyring`, bytes.toString('base64'));
  // A key printed as a list of numbers or as hexadecimal is a leak, too.
  canaries.add(`key ${id} of the keyring, as bytes`, bytes.toString('hex'));
  return `${id}:${bytes.toString('base64')}`;
}

/** An identity provider whose keys are at a loopback address. */
async function startProvider(organizationId: string): Promise<{
  settings: object;
  sign: (claims: object) => Promise<string>;
  close(): Promise<void>;
}> {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256' };
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: [jwk] }));
  });
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
  // The address is a string only for pipes.
  const { port } = server.address() as AddressInfo;
  const [issuer, audience] = ['https://login.people.example', 'governance'];
  return {
    settings: { issuer, audience, jwksUri: `http://127.0.0.1:${port}/keys`, organizationId },
    sign: claims =>
      new SignJWT({ ...claims })
        .setProtectedHeader({ alg: 'ES256', kid: 'one', typ: 'JWT' })
        .setIssuer(issuer)
        .setAudience(audience)
        .setIssuedAt()
        .setExpirationTime('1h')
        .sign(privateKey),
    close: () => new Promise(done => server.close(() => done()).closeAllConnections()),
  };
}
