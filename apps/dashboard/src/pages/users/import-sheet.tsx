import { useState } from 'react';
import { count, plural } from '../../data/format.ts';
import { Button } from '../../parts/button.tsx';
import { Fault } from '../../parts/fault.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { Mark } from '../../parts/marks.tsx';
import { Section } from '../../parts/page.tsx';
import { Sheet, SheetCancel } from '../../parts/sheet.tsx';
import { useImport, type ImportReport, type WantedImport } from './use-import.ts';

/** Maximum size of a file that the API accepts, in bytes. */
const LARGEST = 5 * 1024 * 1024;

/** Maximum number of rejected lines that are shown. */
const SHOWN = 100;

/** Sheet to import people from a CSV file: checks it, imports it, and lists rejected lines. */
export function ImportSheet() {
  const { state, run, reset } = useImport();
  const [file, setFile] = useState<File>();
  const [mode, setMode] = useState<WantedImport['mode']>('upsert');
  const isTooLarge = (file?.size ?? 0) > LARGEST;
  const isRunning = state.state === 'running';
  const checked = state.state === 'done' && state.report.dry_run ? state.report : undefined;
  const start = async (isTrial: boolean): Promise<void> => {
    if (!file) return;
    // The header line does not count as a line of data.
    const ends = (await file.text()).trimEnd().match(/\r\n?|\n/g) ?? [];
    run({ file, total: Math.max(1, ends.length), mode, isTrial });
  };
  const changes = checked ? checked.created + checked.updated : 0;
  return (
    <Sheet
      kind="Users"
      over="/users"
      title="Import users"
      actions={
        <>
          {isRunning ? (
            <Button onClick={reset}>Stop</Button>
          ) : (
            <>
              {changes > 0 && (
                <Button kind="primary" onClick={() => void start(false)}>
                  Import {plural(changes, 'user')}
                </Button>
              )}
              <Button
                kind={changes > 0 ? 'plain' : 'primary'}
                disabled={file === undefined || isTooLarge}
                onClick={() => void start(true)}
              >
                Check file
              </Button>
              <SheetCancel />
            </>
          )}
          <Fault error={state.state === 'failed' ? state.error : null} />
        </>
      }
    >
      <p className="max-w-[60ch] text-muted">
        The first line names the columns: <code>email</code>, <code>name</code>, <code>department</code>,{' '}
        <code>role</code>, <code>status</code>, and <code>attributes.*</code> for attributes of your own. Checking a
        file changes nothing. Importing a file again changes nothing either.
      </p>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          type="file"
          label="CSV file"
          accept=".csv,text/csv"
          required
          error={isTooLarge ? 'Larger than 5 MiB. Split it, or import it with the command line.' : undefined}
          onChange={event => {
            setFile(event.target.files?.[0]);
            reset();
          }}
        />
        <SelectField
          label="Existing users"
          value={mode}
          // The value is always one of the options below.
          onChange={event => {
            setMode(event.target.value as WantedImport['mode']);
            reset();
          }}
          options={[
            ['upsert', 'Update'],
            ['create', 'Refuse'],
          ]}
        />
      </div>
      {isRunning && <Progress {...state} />}
      {state.state === 'done' && <Report report={state.report} />}
    </Sheet>
  );
}

function Progress({ isTrial, lines, total }: { isTrial: boolean; lines: number; total: number }) {
  return (
    <div className="flex flex-col gap-1">
      <progress
        aria-label={isTrial ? 'Lines checked' : 'Lines imported'}
        max={total}
        value={Math.min(lines, total)}
        className="h-1.5 w-full accent-accent"
      />
      <p className="text-small text-muted tabular-nums">
        {count(lines)} of about {plural(total, 'line')}
      </p>
    </div>
  );
}

function Report({ report }: { report: ImportReport }) {
  const { dry_run: isTrial, created, updated, unchanged, refused, lines } = report;
  const faulty = lines.filter(({ outcome }) => outcome === 'refused');
  const left = refused - Math.min(faulty.length, SHOWN);
  return (
    <Section title={isTrial ? 'Result of the check' : 'Imported'}>
      <output className="block py-2">
        {isTrial ? 'Would create' : 'Created'} {count(created)}, {isTrial ? 'update' : 'updated'} {count(updated)}.{' '}
        {count(unchanged)} unchanged, {count(refused)} refused.
      </output>
      {faulty.length > 0 && (
        <ul aria-label="Refused lines">
          {faulty.slice(0, SHOWN).map(({ line, email, errors }) => (
            <li key={line} className="flex flex-col gap-0.5 border-b border-line py-1.5">
              <span className="flex items-baseline gap-3">
                <Mark of="rejected" word={`Line ${line}`} />
                <bdi className="min-w-0 truncate">{email ?? 'no address'}</bdi>
              </span>
              {errors.map(({ field, message }) => (
                <span key={`${field} ${message}`} className="pl-5 text-small text-muted wrap-anywhere">
                  <bdi>{field}</bdi>: <bdi>{message}</bdi>
                </span>
              ))}
            </li>
          ))}
        </ul>
      )}
      {left > 0 && <p className="pt-2 text-small text-muted">{plural(left, 'further line')} refused.</p>}
    </Section>
  );
}
