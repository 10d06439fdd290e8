// Prints the type errors of some files of a TypeScript project, as tsc does. Argument 1 is the folder with its
// tsconfig.json, the others are the files and folders to check. tsc would also check all files that these files import,
// and spend most of its time on them.
import { join, resolve } from 'node:path';
import ts from 'typescript';

const [project, ...parts] = process.argv.slice(2).map(path => resolve(path));
const host = {
  ...ts.sys,
  onUnRecoverableConfigFileDiagnostic: ({ messageText }) => {
    throw new Error(ts.flattenDiagnosticMessageText(messageText, '\n'));
  },
};
const { fileNames, options, errors } = ts.getParsedCommandLineOfConfigFile(join(project, 'tsconfig.json'), {}, host);
const program = ts.createProgram(fileNames, options);
const checked = program
  .getSourceFiles()
  .filter(({ fileName }) => parts.some(part => fileName === part || fileName.startsWith(`${part}/`)));
for (const part of parts) {
  if (!checked.some(({ fileName }) => fileName.startsWith(part))) throw new Error(`The program has no file in ${part}`);
}
const faults = [
  ...errors,
  ...program.getOptionsDiagnostics(),
  ...program.getGlobalDiagnostics(),
  ...checked.flatMap(file => program.getSyntacticDiagnostics(file)),
  ...checked.flatMap(file => program.getSemanticDiagnostics(file)),
];
process.stdout.write(
  ts.formatDiagnostics(faults, {
    getCurrentDirectory: () => project,
    getCanonicalFileName: name => name,
    getNewLine: () => '\n',
  }),
);
process.exitCode = faults.length > 0 ? 1 : 0;
