/** Runs the commands of the parent process, which calls `startHelper`. Ends together with the parent. */
export function answerTo(commands) {
  const answer = async ({ number, name, argument }) => {
    try {
      process.send({ number, result: await commands[name](argument) });
    } catch (error) {
      process.send({ number, error: String(error?.stack ?? error) });
    }
  };
  process.on('message', message => void answer(message));
  process.on('disconnect', () => process.exit());
}
