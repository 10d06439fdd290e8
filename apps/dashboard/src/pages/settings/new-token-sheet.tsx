import { useRef, useState } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import type { AnswerOf, InputOf } from '../../data/call.ts';
import { useMe } from '../../data/scopes.ts';
import { startOfDay } from '../../data/time.ts';
import { useAction } from '../../data/use-api.ts';
import { Button, buttonClass } from '../../parts/button.tsx';
import { Fault } from '../../parts/fault.tsx';
import { Facts } from '../../parts/facts.tsx';
import { SelectField, TextArea, TextField } from '../../parts/field.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { PersonField } from '../../parts/person-field.tsx';
import { Sheet } from '../../parts/sheet.tsx';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { Time, useZone } from '../../parts/time.tsx';
import { Unsaved } from '../../parts/unsaved.tsx';

type Body = InputOf<'createToken'>['body'];

const ROLES = [
  ['member', 'Member: what concerns its person'],
  ['auditor', 'Auditor: reads everything'],
  ['admin', 'Admin: reads and changes everything'],
  ['agent', 'Agent: a program that asks for decisions'],
  ['scim', 'SCIM: a directory that adds and ends people'],
] as const;

interface Fields {
  name: string;
  role: Body['role'];
  of: 'default' | 'person';
  ends: string;
  width: 'all' | 'some';
  scopes: string[];
  models: string;
  project: string;
}

/** Makes an access token, and shows it once. */
export function NewTokenSheet() {
  const zone = useZone();
  const me = useMe();
  const { register, control, handleSubmit, formState } = useForm<Fields>({
    defaultValues: {
      name: '',
      role: 'agent',
      of: 'default',
      ends: '',
      width: 'all',
      scopes: [],
      models: '',
      project: '',
    },
    mode: 'onTouched',
  });
  const { errors, isDirty, isSubmitted } = formState;
  const [role, of, width, scopes] = useWatch({ control, name: ['role', 'of', 'width', 'scopes'] });
  const [userId, setUserId] = useState('');
  const isSaved = useRef(false);
  const create = useAction('createToken', ['listTokens'], () => {
    isSaved.current = true;
  });
  const lacksPerson = of === 'person' && userId === '';
  const lacksScopes = width === 'some' && scopes.length === 0;
  const save = handleSubmit(fields => {
    if (lacksPerson || lacksScopes) return;
    create.mutate({ body: bodyOf(fields, userId, zone) });
  });
  if (create.data) return <Made token={create.data} />;
  return (
    <Sheet
      kind="New access token"
      over="/settings"
      title="Make an access token"
      actions={
        <>
          <Button kind="primary" busy={create.isPending} onClick={() => void save()}>
            Make the token
          </Button>
          <Fault error={create.error} />
        </>
      }
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={event => {
          event.preventDefault();
          void save();
        }}
      >
        <TextField
          label="Name"
          hint="What the token is for."
          maxLength={255}
          error={errors.name?.message}
          {...register('name', { validate: value => value.trim() !== '' || 'Say what the token is for.' })}
        />
        <SelectField label="Role" options={ROLES} {...register('role')} />
        <SelectField
          label="Whose it is"
          hint="It ends with the access of its person."
          options={[
            ['default', role === 'agent' || role === 'scim' ? 'Nobody’s' : 'Mine, or nobody’s where I am no person'],
            ['person', 'Another person’s'],
          ]}
          {...register('of')}
        />
        {of === 'person' && (
          <PersonField
            id={userId}
            onChange={setUserId}
            error={isSubmitted && lacksPerson ? 'Choose the person.' : undefined}
          />
        )}
        <TextField
          type="date"
          label="Ends on"
          optional
          hint={`At the beginning of that day in ${zone}, within a year. Empty: 90 days from now. It never outlives the token that you are signed in with.`}
          {...register('ends')}
        />
        <SelectField
          label="Scopes"
          options={[
            ['all', 'All of the role'],
            ['some', 'Only those that I choose'],
          ]}
          error={isSubmitted && lacksScopes ? 'Choose at least one scope.' : undefined}
          {...register('width')}
        />
        {width === 'some' && (
          <fieldset className="columns-2">
            <legend className="sr-only">Scopes</legend>
            {me.scopes.map(scope => (
              <label key={scope} className="flex min-h-7 items-center gap-2 font-mono text-small">
                <input
                  type="checkbox"
                  value={scope}
                  className="size-4 shrink-0 accent-accent"
                  {...register('scopes')}
                />
                <span className="min-w-0 break-words">{scope}</span>
              </label>
            ))}
          </fieldset>
        )}
        <TextArea
          label="Models, one a line"
          optional
          rows={2}
          hint="Names or patterns such as gpt-4o*. Empty: every model."
          className="[&_textarea]:font-mono"
          {...register('models')}
        />
        <TextField
          label="Project"
          optional
          hint="What requests with it are for, whatever they say themselves."
          maxLength={255}
          {...register('project')}
        />
        <button type="submit" hidden aria-hidden tabIndex={-1} />
      </form>
      <Unsaved isDirty={() => isDirty && !isSaved.current} />
    </Sheet>
  );
}

function Made({ token }: { token: AnswerOf<'createToken'> }) {
  return (
    <Sheet
      kind="New access token"
      over="/settings"
      title={<bdi>{token.name}</bdi>}
      actions={
        <PageLink to={`/settings/tokens/${token.id}`} keep className={buttonClass('primary')}>
          I have copied it, show the token
        </PageLink>
      }
    >
      <ShownOnce what="access token" secret={token.token}>
        Programs send it as “Authorization: Bearer …”. Whoever has it can do what it may do: keep it like a password.
      </ShownOnce>
      <Facts
        facts={[
          ['Role', token.role],
          ['Ends', token.expires_at === null ? 'never' : <Time key="ends" at={token.expires_at} />],
        ]}
      />
    </Sheet>
  );
}

function bodyOf({ name, role, of, ends, width, scopes, models, project }: Fields, userId: string, zone: string): Body {
  const patterns = models
    .split('\n')
    .map(each => each.trim())
    .filter(each => each !== '');
  return {
    name: name.trim(),
    role,
    ...(of === 'person' && { user_id: userId }),
    ...(ends !== '' && { expires_at: startOfDay(ends, zone).toISOString() }),
    // They are the caller's own, as the server named them.
    ...(width === 'some' && { scopes: scopes as NonNullable<Body['scopes']> }),
    ...(patterns.length > 0 && { models: patterns }),
    ...(project.trim() !== '' && { project: project.trim() }),
  };
}
