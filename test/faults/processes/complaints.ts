/** Warnings of an app on a busy machine: the database, or its own timer, was late. */
const LATENESS = [
  /Changes of other replicas can(not be read: no answer within \d+ ms| be read again)/,
  /Missed execution deadline/,
];

/** Lines of an app's output, without empty lines and messages about a busy machine. */
export function complaintsIn(output: string): string[] {
  return output.split('\n').filter(line => line !== '' && !LATENESS.some(lateness => lateness.test(line)));
}
