import { join } from 'node:path';
import ts from 'typescript';
import { APP_SETTINGS } from '../../apps/standalone/app-settings.js';
import { ENVIRONMENT_SETTINGS } from '../../libs/governance/environment/settings.js';

const ROOT = join(import.meta.dirname, '..', '..');
const OPTIONS = join(ROOT, 'libs', 'governance', 'governance.options.ts');

/** One row of the table of settings. */
interface Line {
  variable: string;
  option: string;
  meaning: string;
  fallback: string;
}

const INTRO = `# Settings

Every setting of the bundled app is an environment variable. This page is generated from the code.

- For secrets, put the value into a file and set the same name with \`_FILE\`, such as
  \`GOVERNANCE_KEYS_FILE=/run/secrets/keys\`. This works for every variable.
- Lists are separated by commas. Blank values count as unset.
- An invalid value stops the start. The message names the variable.
- An unknown variable that begins with \`GOVERNANCE_\` is ignored with a warning, which suggests the closest known name.
- The column "Option" names the option of \`GovernanceModule.forRoot\` that a [host](embed.md#options) sets instead. A host
  can read the same variables with \`readEnvironment(process.env)\`.
- Node.js itself reads further variables, such as \`NODE_EXTRA_CA_CERTS\` (a file with more trust roots) and \`NODE_OPTIONS\`.
`;

/** The app's default for options missing in its environment, if it differs from the default of the option. */
const APP_FALLBACKS = new Map([
  ['database.url', 'unset: an embedded PostgreSQL 18'],
  ['database.migrations', '`run`'],
  ['database.migrationUrl', '`DATABASE_URL`'],
  ['itsm.serviceName', '`GOVERNANCE_SERVICE_NAME`'],
  ['itsm.publicUrl', '`GOVERNANCE_PUBLIC_URL`'],
  ['keys', 'generated in the data folder; required with `DATABASE_URL`'],
]);

/** The text to show if the docstring of the option addresses a host. */
const APP_MEANINGS = new Map([
  ['database.url', 'URL of a PostgreSQL 15 or newer, such as `postgres://user:password@host:5432/database`.'],
  [
    'database.migrationUrl',
    'URL with another role, which runs the migrations. `DATABASE_URL` can then have a login role ' +
      '[without rights of its own](operate.md#your-own-postgresql).',
  ],
  [
    'database.migrations',
    '`run`: migrate the schema at the start. `check`: refuse to start if the schema is behind, for roles that may not ' +
      'migrate.',
  ],
]);

/** The page docs/settings.md. */
export function settingsPage(): string {
  const rows = linesOfSettings().map(
    ({ variable, option, meaning, fallback }) => `| \`${variable}\` | ${option} | ${meaning} | ${fallback} |`,
  );
  const table = ['| Variable | Option | Meaning | Default |', '| --- | --- | --- | --- |', ...rows];
  return `${INTRO}\n${table.join('\n')}\n`;
}

/** The file .env.example: every variable, commented out. */
export function envExample(): string {
  const blocks = linesOfSettings().map(({ variable, meaning, fallback }) => {
    const text = plain(`${meaning} Default: ${fallback}.`);
    return `${wrapped(text)}\n#${variable}=\n`;
  });
  return `# Settings of nest-llm-governance; docs/settings.md explains them. Written from the code.\n\n${blocks.join('\n')}`;
}

let read: Line[] | undefined;

/** Reads the settings once, because the compiler takes seconds. */
function linesOfSettings(): Line[] {
  return (read ??= readSettings());
}

function readSettings(): Line[] {
  const app = APP_SETTINGS.map(({ variable, meaning, fallback }) => ({ variable, option: '', meaning, fallback }));
  const docs = docstrings(ENVIRONMENT_SETTINGS.map(({ path }) => path));
  const options = ENVIRONMENT_SETTINGS.map(({ variable, path }, at) => {
    const { meaning, fallback } = apart(docs[at] ?? '');
    const said = APP_MEANINGS.get(path) ?? meaning;
    return { variable, option: `\`${path}\``, meaning: said, fallback: APP_FALLBACKS.get(path) ?? fallback };
  });
  return [...app, ...options];
}

/** The text of a docstring, and the default that its last sentence names. */
function apart(docstring: string): { meaning: string; fallback: string } {
  const [, meaning = docstring, fallback = 'none'] = /^(.*?) ?Default: (.+?)\.?$/s.exec(docstring) ?? [];
  return { meaning, fallback };
}

/** The docstrings of options, read by the compiler. */
function docstrings(paths: readonly string[]): string[] {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), file => ts.sys.readFile(file)) as {
    config: object;
  };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
  const program = ts.createProgram([OPTIONS], { ...options, noEmit: true });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(OPTIONS);
  const declared = source?.statements.find(
    (each): each is ts.InterfaceDeclaration =>
      ts.isInterfaceDeclaration(each) && each.name.text === 'GovernanceOptions',
  );
  if (!declared) throw new Error('GovernanceOptions is not there');
  return paths.map(path => {
    let type = checker.getTypeAtLocation(declared);
    let symbol: ts.Symbol | undefined;
    for (const name of path.split('.')) {
      symbol = checker.getPropertyOfType(type, name);
      if (!symbol) throw new Error(`${path} is no option`);
      type = checker.getNonNullableType(checker.getTypeOfSymbol(symbol));
    }
    const text = symbol ? ts.displayPartsToString(symbol.getDocumentationComment(checker)) : '';
    return text.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|').trim();
  });
}

/** Markdown without links and code marks. */
function plain(markdown: string): string {
  return markdown.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1').replaceAll('`', '');
}

function wrapped(text: string): string {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && `${last} ${word}`.length <= 110) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(`# ${word}`);
  }
  return lines.join('\n');
}
