/** Prints the result of a command: one JSON object for programs, or lines of text for people. */
export function print(json: boolean | undefined, result: object, lines: readonly string[]): void {
  process.stdout.write(json ? `${JSON.stringify(result)}\n` : `${lines.join('\n')}\n`);
}

/** The option that every command has. */
export const JSON_OPTION = ['--json', 'print one JSON object'] as const;
