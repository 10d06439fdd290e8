import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { parse, parseAllDocuments } from 'yaml';
import { unknownVariables } from '../../apps/standalone/environment.js';
import { blocksOf, ROOT } from '../docs/markdown.js';

const FOLDER = join(ROOT, 'deploy');
const read = (name: string): string => readFileSync(join(FOLDER, name), 'utf8');

interface Manifest {
  apiVersion: string;
  kind: string;
}

const MANIFESTS = ['kubernetes/governance.yaml', 'kubernetes/migrate.yaml'].flatMap(name =>
  parseAllDocuments(read(name)).map((document): Manifest => document.toJS()),
);

/** Validation errors of manifests against the types of the Kubernetes API. Unknown fields are errors, too. */
function faultsOf(manifests: readonly Manifest[]): string[] {
  const file = join(ROOT, 'manifests.ts');
  const source = manifests
    .map(({ kind, apiVersion }, at) => {
      const text = JSON.stringify(manifests[at]);
      return `import type { I${kind} as I${at} } from 'kubernetes-models/${apiVersion}';\nexport const m${at}: I${at} = ${text};`;
    })
    .join('\n');
  const options = { strict: true, noEmit: true, skipLibCheck: true, types: [], module: ts.ModuleKind.NodeNext };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = name => name === file || fileExists(name);
  host.getSourceFile = (name, ...rest) =>
    name === file ? ts.createSourceFile(name, source, ts.ScriptTarget.ES2022) : getSourceFile(name, ...rest);
  const program = ts.createProgram([file], options, host);
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

describe('the Kubernetes manifests', () => {
  it('fit the schemas of the Kubernetes API', () => {
    expect(MANIFESTS.map(({ kind }) => kind)).toEqual([
      'Deployment',
      'Service',
      'PodDisruptionBudget',
      'NetworkPolicy',
      'Job',
    ]);
    expect(faultsOf(MANIFESTS)).toEqual([]);
  });

  it('are refused by this check if a field is unknown', () => {
    const misspelled = MANIFESTS.map(manifest => JSON.parse(JSON.stringify(manifest).replace('envFrom', 'envFrm')));
    expect(faultsOf(misspelled).join()).toContain('envFrm');
  });
});

describe('the files of deploy', () => {
  it.each(['kubernetes/governance.yaml', 'kubernetes/migrate.yaml', 'compose.yaml', 'Containerfile', 'env.example'])(
    'name only settings that the app knows: %s',
    name => {
      const named = [...read(name).matchAll(/\b(GOVERNANCE_[A-Z_]+)\b/g)].map(([, variable]) => [variable, 'x']);
      expect(named.length).toBeGreaterThan(0);
      expect(unknownVariables(Object.fromEntries(named))).toEqual([]);
    },
  );

  it('pin the production install to the versions that the project is tested with', () => {
    const tested = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const production = JSON.parse(read('package.json'));
    expect(tested.devDependencies).toMatchObject(production.dependencies);
    const required = Object.keys(tested.peerDependencies).filter(name => !tested.peerDependenciesMeta[name]?.optional);
    expect(Object.keys(production.dependencies)).toEqual(expect.arrayContaining(required));
  });

  it('give a container at least as much time to stop as the app takes after SIGTERM', () => {
    expect(parse(read('compose.yaml'))).toMatchObject({ services: { app: { stop_grace_period: '30s' } } });
    expect(MANIFESTS[0]).toMatchObject({ spec: { template: { spec: { terminationGracePeriodSeconds: 30 } } } });
    expect(read('systemd/nest-llm-governance.service')).toMatch(/^TimeoutStopSec=30$/m);
  });
});

describe('the log folder that docs/siem.md uses', () => {
  const blockOf = (mark: string): string =>
    blocksOf('docs/siem.md').find(({ marks }) => marks[0] === mark)?.code ?? `no block ${mark}`;
  const folder = /^GOVERNANCE_AUDIT_SINK_FOLDER=(.*)$/m.exec(blockOf('folder'))?.[1] ?? '';
  const unit = read('systemd/nest-llm-governance.service');
  const mayWrite = `/var/lib/${/^StateDirectory=(.*)$/m.exec(unit)?.[1]}`;

  it('is writable for the app by the systemd unit and by the image', () => {
    expect(folder.startsWith(`${mayWrite}/`)).toBe(true);
    const { user, group, path } =
      /^RUN install --directory --owner=(?<user>\d+) --group=(?<group>\d+) --mode=0750 (?<path>\S+)$/m.exec(
        read('Containerfile'),
      )?.groups ?? {};
    expect({ user: `${user}:${group}`, path }).toEqual({
      user: /^USER (.*)$/m.exec(read('Containerfile'))?.[1],
      path: mayWrite,
    });
  });

  it('is readable for the group if the settings in the guide replace those of the systemd unit', () => {
    expect(unit).toMatch(/^UMask=0077$/m);
    expect(unit).toMatch(/^DynamicUser=yes$/m);
    const settings = Object.fromEntries([...blockOf('readers').matchAll(/^(\w+)=(.*)$/gm)].map(([, ...pair]) => pair));
    expect(settings).toMatchObject({ DynamicUser: 'no', User: 'governance', Group: 'governance' });
    const readable = 0o750;
    expect(readable & ~Number.parseInt(settings['UMask'] ?? '', 8)).toBe(readable);
    expect(Number.parseInt(settings['StateDirectoryMode'] ?? '', 8)).toBe(readable);
  });

  it('is on a volume in Compose', () => {
    const added = parse(blockOf('compose'));
    expect(Object.keys(parse(read('compose.yaml')).services)).toEqual(
      expect.arrayContaining(Object.keys(added.services)),
    );
    expect(added.services.app).toEqual({
      environment: { GOVERNANCE_AUDIT_SINK_FOLDER: folder },
      volumes: [`audit:${mayWrite}`],
    });
    expect(Object.keys(added.volumes)).toEqual(['audit']);
  });

  it('is on a volume in Kubernetes that belongs to the group of the app', () => {
    const deployment = parse(JSON.stringify(MANIFESTS[0]));
    const { spec: pod } = deployment.spec.template;
    const { spec: added } = parse(blockOf('kubernetes')).spec.template;
    const [container] = added.containers;
    expect(container).toMatchObject({
      name: pod.containers[0].name,
      env: [{ name: 'GOVERNANCE_AUDIT_SINK_FOLDER', value: folder }],
      volumeMounts: [{ name: added.volumes[0].name, mountPath: mayWrite }],
    });
    expect(added.securityContext).toEqual({ fsGroup: pod.securityContext.runAsGroup });
    Object.assign(pod.securityContext, added.securityContext);
    pod.containers[0].env.push(...container.env);
    pod.containers[0].volumeMounts = container.volumeMounts;
    pod.volumes = added.volumes;
    expect(faultsOf([deployment])).toEqual([]);
  });
});
