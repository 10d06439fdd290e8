/**
 * Keeps the output of a test file, such as the log of the apps that it starts, out of the results. `release` restores
 * the streams. If `isWanted` is set, it also prints the captured output below `title`. On a terminal, nothing is
 * captured, because Jest writes to the terminal meanwhile.
 */
export function captureOutput(title) {
  const streams = process.stdout.isTTY ? [] : [process.stdout, process.stderr];
  const kept = [];
  const before = streams.map(stream => {
    const own = Object.getOwnPropertyDescriptor(stream, 'write');
    stream.write = (chunk, encoding, callback) => {
      kept.push(Buffer.from(chunk, typeof encoding === 'string' ? encoding : undefined));
      (callback ?? (typeof encoding === 'function' ? encoding : undefined))?.();
      return true;
    };
    return own;
  });
  const release = isWanted => {
    streams.forEach((stream, at) => {
      delete stream.write;
      if (before[at]) Object.defineProperty(stream, 'write', before[at]);
    });
    process.removeListener('exit', showAll);
    if (isWanted && kept.length > 0) process.stderr.write(Buffer.concat([Buffer.from(`${title}\n`), ...kept]));
  };
  // If a worker exits in the middle of a file, it prints what was captured so far.
  const showAll = () => release(true);
  process.once('exit', showAll);
  return { release };
}
