import { isStorableText } from '#core';

/** Largest metadata object, as UTF-8 JSON. */
const MAX_METADATA_BYTES = 16_384;

/** Deepest nesting of objects and arrays in metadata, the object itself included. */
const MAX_METADATA_DEPTH = 8;

/** The fault of metadata that cannot be stored; the path names the invalid part. */
export class MetadataDefect {
  constructor(
    readonly path: string,
    readonly message: string,
  ) {}
}

/**
 * The canonical JSON text of a metadata object (keys in code-unit order), or its fault. A single pass both checks and
 * serializes the object, because this runs for every usage event. The pass stops when the text is too long.
 */
export function metadataText(value: unknown): string | MetadataDefect {
  if (!isPlainObject(value)) return new MetadataDefect('metadata', 'must be an object');
  const writer = new CanonicalWriter();
  writer.write(value, 'metadata', 1);
  if (writer.defect) return writer.defect;
  return writer.text.length > MAX_METADATA_BYTES || Buffer.byteLength(writer.text) > MAX_METADATA_BYTES
    ? tooLong()
    : writer.text;
}

class CanonicalWriter {
  text = '';
  defect: MetadataDefect | undefined;

  write(value: unknown, path: string, depth: number): void {
    if (this.defect) return;
    if (this.text.length > MAX_METADATA_BYTES) this.defect = tooLong();
    else if (typeof value === 'string') this.writeText(value, path);
    else if (typeof value === 'number' && Number.isFinite(value)) this.text += JSON.stringify(value);
    else if (typeof value === 'boolean' || value === null) this.text += String(value);
    else if (depth > MAX_METADATA_DEPTH) this.refuse(path, `is nested deeper than ${MAX_METADATA_DEPTH} levels`);
    else if (Array.isArray(value)) this.writeArray(value, path, depth);
    else if (isPlainObject(value)) this.writeObject(value, path, depth);
    else this.refuse(path, 'is not a JSON value');
  }

  private writeArray(items: unknown[], path: string, depth: number): void {
    this.text += '[';
    for (let index = 0; index < items.length && !this.defect; index++) {
      if (index > 0) this.text += ',';
      this.write(items[index], `${path}[${index}]`, depth + 1);
    }
    this.text += ']';
  }

  private writeObject(object: Record<string, unknown>, path: string, depth: number): void {
    this.text += '{';
    let separator = '';
    for (const key of Object.keys(object).sort()) {
      if (this.defect) return;
      if (key === '__proto__' || !isStorableText(key)) return this.refuse(path, 'has a key that cannot be stored');
      this.text += `${separator}${JSON.stringify(key)}:`;
      separator = ',';
      this.write(object[key], `${path}.${key.slice(0, 100)}`, depth + 1);
    }
    this.text += '}';
  }

  private writeText(text: string, path: string): void {
    if (isStorableText(text)) this.text += JSON.stringify(text);
    else this.refuse(path, 'must not contain NUL or half of a surrogate pair');
  }

  private refuse(path: string, message: string): void {
    this.defect ??= new MetadataDefect(path, message);
  }
}

function tooLong(): MetadataDefect {
  return new MetadataDefect('metadata', `is larger than ${MAX_METADATA_BYTES} bytes as JSON`);
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
