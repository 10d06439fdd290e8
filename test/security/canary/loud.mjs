// Preloaded before the app. Writes every level of every Nest logger, whatever the app configures, and writes it at
// once. Changes the text of the bundle, because nothing outside of the bundle can reach its loggers.
import { registerHooks } from 'node:module';

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (!url.includes('/standalone/bundle/')) return loaded;
    const source = Buffer.from(loaded.source)
      .toString()
      .replaceAll('isLevelEnabled(level) {', 'isLevelEnabled(level) { return true;')
      .replace('static attachBuffer() {', 'static attachBuffer() { return;');
    return { ...loaded, source };
  },
});
