import { writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { Command } from 'commander';
import { ConfigurationService, operatorActor, OrganizationService, type ApplyReport } from 'nest-llm-governance';
import { configurationText, readConfigurationFile } from './configuration-file.js';
import { JSON_OPTION, print } from './output.js';
import { withGovernance } from './with-governance.js';

interface ApplyFlags {
  org: string;
  dryRun?: boolean;
  prune?: boolean;
  json?: boolean;
}

/** `export`: the configuration of an organization as a file. */
export function exportCommand(): Command {
  return new Command('export')
    .description('print the configuration of an organization as YAML, by name and without secrets')
    .requiredOption('--org <id>', 'id of the organization')
    .option('--output <file>', 'write a file instead')
    .option(...JSON_OPTION)
    .action(async ({ org, output, json }: { org: string; output?: string; json?: boolean }) => {
      await withGovernance(async app => {
        await app.get(OrganizationService).get(org);
        const document = await app.get(ConfigurationService).export(operatorActor(org));
        const text = json ? `${JSON.stringify(document)}\n` : configurationText(document);
        if (output === undefined) process.stdout.write(text);
        else writeFileSync(output, text);
      });
    });
}

/** `apply`: changes the configuration of an organization to that of a file. */
export function applyCommand(): Command {
  return new Command('apply')
    .description('make the configuration of an organization say what a file says; applying it again changes nothing')
    .argument('<file>', 'YAML or JSON file, such as export writes')
    .requiredOption('--org <id>', 'id of the organization')
    .option('--dry-run', 'show what would change, and change nothing')
    .option('--prune', 'remove objects that the file lacks, of the kinds that it names')
    .option(...JSON_OPTION)
    .action(runApply);
}

async function runApply(path: string, { org, dryRun = false, prune = false, json }: ApplyFlags): Promise<void> {
  const { document, notes } = readConfigurationFile(path, process.env);
  for (const note of notes) process.stderr.write(`${note}\n`);
  await withGovernance(async app => {
    await app.get(OrganizationService).get(org);
    const actor = operatorActor(org, userInfo().username);
    const report = await app.get(ConfigurationService).apply(actor, document, { dryRun, prune });
    print(json, { dry_run: report.dryRun, counts: report.counts, objects: report.objects }, linesOf(report));
  });
}

function linesOf({ dryRun, counts, objects }: ApplyReport): string[] {
  const would = dryRun ? 'would be ' : '';
  const words = {
    created: `${would}created`,
    changed: `${would}changed`,
    unchanged: 'unchanged',
    pruned: `${would}pruned`,
    unlisted: 'not in the file, and stays (--prune removes it)',
  };
  const lines = objects.flatMap(({ kind, name, outcome, changes, shownOnce = {} }) => [
    `${kind} ${JSON.stringify(name)}: ${words[outcome]}`,
    ...changes.map(({ field, from, to }) => `  ${field}: ${JSON.stringify(from)} -> ${JSON.stringify(to)}`),
    ...Object.entries(shownOnce).map(([field, value]) => `  ${field}: ${value} (shown only now; keep it)`),
  ]);
  const { created, changed, unchanged, pruned, unlisted } = counts;
  const sum = `${created} created, ${changed} changed, ${unchanged} unchanged, ${pruned} pruned, ${unlisted} not in the file`;
  return [...lines, `${sum}${dryRun ? ' (nothing was done)' : ''}`];
}
