import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { parse, parseAllDocuments } from 'yaml';
import { unknownVariables } from '../../apps/standalone/environment.js';
import { ROOT } from '../docs/markdown.js';

const FOLDER = join(ROOT, 'deploy');
const read = (name: string): string => readFileSync(join(FOLDER, name), 'utf8');

interface Manifest {
  apiVersion: string;
  kind: string;
}

const MANIFESTS = ['kubernetes/governance.yaml', 'kubernetes/migrate.yaml'].flatMap(name =>
  parseAllDocuments(read(name)).map((document): Manifest => document.toJS()),
);

/** Faults of manifests by the types of the Kubernetes API, unknown fields included. */
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
  }, 60_000);

  it('are refused by this check where a field is unknown', () => {
    const misspelled = MANIFESTS.map(manifest => JSON.parse(JSON.stringify(manifest).replace('envFrom', 'envFrm')));
    expect(faultsOf(misspelled).join()).toContain('envFrm');
  }, 60_000);
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

  it('give the production install the versions that the project is tested with', () => {
    const tested = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const production = JSON.parse(read('package.json'));
    expect(tested.devDependencies).toMatchObject(production.dependencies);
    const required = Object.keys(tested.peerDependencies).filter(name => !tested.peerDependenciesMeta[name]?.optional);
    expect(Object.keys(production.dependencies)).toEqual(expect.arrayContaining(required));
  });

  it('wait at least as long for the end of a container as the app takes after SIGTERM at most', () => {
    expect(parse(read('compose.yaml'))).toMatchObject({ services: { app: { stop_grace_period: '30s' } } });
    expect(MANIFESTS[0]).toMatchObject({ spec: { template: { spec: { terminationGracePeriodSeconds: 30 } } } });
    expect(read('systemd/nest-llm-governance.service')).toMatch(/^TimeoutStopSec=30$/m);
  });
});
