import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseDocument, stringify } from 'yaml';

/** A configuration as YAML. Equal configurations give equal text. */
export function configurationText(document: object): string {
  return stringify(document, { lineWidth: 0, aliasDuplicateObjects: false });
}

/** A configuration file with the values of its secrets, and the references that could not be resolved. */
export interface ConfigurationFile {
  readonly document: unknown;
  /** One line per reference whose value is missing. The stored secret then stays unchanged. */
  readonly notes: readonly string[];
}

/**
 * Reads a configuration file, YAML or JSON. Under `secrets`, `{ env: NAME }` is replaced by the value of an environment
 * variable, and `{ file: PATH }` by the content of a file without the line break at its end. A path is relative to the
 * configuration file. If the value is missing, the reference stays as it is.
 * @throws Error that names the line at which the YAML is invalid
 */
export function readConfigurationFile(path: string, env: NodeJS.ProcessEnv): ConfigurationFile {
  const parsed = parseDocument(readFileSync(path, 'utf8'), { prettyErrors: true });
  const [fault] = parsed.errors;
  if (fault) throw new Error(`${path}: ${fault.message.trim()}`);
  const notes: string[] = [];
  const document: unknown = parsed.toJS({ maxAliasCount: 100 });
  for (const holder of holdersOf(document)) {
    for (const [name, value] of Object.entries(holder.secrets)) {
      const found = resolveReference(value, dirname(path), env);
      if (found === undefined) continue;
      if ('missing' in found) notes.push(`${holder.label}: ${found.missing}; the stored ${name} stays.`);
      else holder.secrets[name] = found.value;
    }
  }
  return { document, notes };
}

interface Holder {
  readonly label: string;
  readonly secrets: Record<string, unknown>;
}

/** The entries of lists that have secrets. */
function holdersOf(document: unknown): Holder[] {
  if (!isRecord(document)) return [];
  return Object.entries(document).flatMap(([kind, entries]) =>
    (Array.isArray(entries) ? entries : []).flatMap((entry: unknown) => {
      if (!isRecord(entry) || !isRecord(entry['secrets'])) return [];
      // An entry for a chat workspace has no name, so platform and workspace identify it.
      const name = entry['name'] ?? `${String(entry['platform'])} ${String(entry['workspace'])}`;
      return [{ label: `${kind} ${JSON.stringify(name)}`, secrets: entry['secrets'] }];
    }),
  );
}

function resolveReference(
  value: unknown,
  folder: string,
  env: NodeJS.ProcessEnv,
): { value: string } | { missing: string } | undefined {
  if (!isRecord(value)) return undefined;
  const { env: variable, file } = value;
  if (typeof variable === 'string') {
    const found = (Object.hasOwn(env, variable) ? env[variable] : undefined) ?? '';
    return found === '' ? { missing: `${variable} is not set` } : { value: found };
  }
  if (typeof file !== 'string') return undefined;
  const path = resolve(folder, file);
  try {
    return { value: readFileSync(path, 'utf8').replace(/\r?\n$/, '') };
  } catch {
    return { missing: `${path} cannot be read` };
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
