import { useRef, useState } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import type { AnswerOf, InputOf } from '../../data/call.ts';
import { useMe } from '../../data/scopes.ts';
import { startOfDay } from '../../data/time.ts';
import { useAction } from '../../data/use-api.ts';
import { Button, buttonClass } from '../../parts/button.tsx';
import { Fault } from '../../parts/fault.tsx';
import { Facts } from '../../parts/facts.tsx';
import { DateField, SelectField, TextArea, TextField } from '../../parts/field.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { PersonField } from '../../parts/person-field.tsx';
import { Sheet, SheetCancel } from '../../parts/sheet.tsx';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { Time, useZone } from '../../parts/time.tsx';
import { Unsaved } from '../../parts/unsaved.tsx';

type Body = InputOf<'createToken'>['body'];

const ROLES = [
  ['member', 'Member: own data only'],
  ['auditor', 'Auditor: read-only'],
  ['admin', 'Admin: full access'],
  ['agent', 'Agent: requests decisions, reports usage'],
  ['scim', 'SCIM: provisions users'],
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

/** Sheet to create an access token, which is shown once. */
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
      kind="Access token"
      over="/settings"
      title="Create access token"
      actions={
        <>
          <Button kind="primary" busy={create.isPending} onClick={() => void save()}>
            Create token
          </Button>
          <SheetCancel />
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
          hint="For example, ci-pipeline."
          maxLength={255}
          error={errors.name?.message}
          {...register('name', { validate: value => value.trim() !== '' || 'Enter a name.' })}
        />
        <SelectField label="Role" options={ROLES} {...register('role')} />
        <SelectField
          label="Owner"
          hint="The token is revoked when its owner loses access."
          options={[
            [
              'default',
              role === 'agent' || role === 'scim' ? 'Organization' : 'Me (the organization, if I am not a user)',
            ],
            ['person', 'Another user'],
          ]}
          {...register('of')}
        />
        {of === 'person' && (
          <PersonField
            id={userId}
            onChange={setUserId}
            error={isSubmitted && lacksPerson ? 'Choose a user.' : undefined}
          />
        )}
        <DateField
          label="Expires on"
          optional
          hint={`Start of the day in ${zone}, at most one year ahead. Leave empty for 90 days. It never outlives the token that you signed in with.`}
          {...register('ends')}
        />
        <SelectField
          label="Scopes"
          options={[
            ['all', 'All scopes of the role'],
            ['some', 'Selected scopes'],
          ]}
          error={isSubmitted && lacksScopes ? 'Choose at least one scope.' : undefined}
          {...register('width')}
        />
        {width === 'some' && (
          <fieldset className="columns-2">
            <legend className="sr-only">Scopes</legend>
            {me.scopes.map(scope => (
              <label key={scope} className="flex min-h-7 items-center gap-2 font-mono text-small">
                <input type="checkbox" value={scope} className="check" {...register('scopes')} />
                <span className="min-w-0 break-words">{scope}</span>
              </label>
            ))}
          </fieldset>
        )}
        <TextArea
          label="Models, one per line"
          optional
          rows={2}
          hint="Names or patterns such as gpt-4o*. Leave empty for all models."
          className="[&_textarea]:font-mono"
          {...register('models')}
        />
        <TextField
          label="Project"
          optional
          hint="Assigned to every request with this token, even if the request names another project."
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
          I have copied it, view the token
        </PageLink>
      }
    >
      <ShownOnce what="access token" secret={token.token}>
        Send it as “Authorization: Bearer …”. Treat it like a password.
      </ShownOnce>
      <Facts
        facts={[
          ['Role', token.role],
          ['Expires', token.expires_at === null ? 'Never' : <Time key="ends" at={token.expires_at} />],
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
    // These scopes are scopes of the caller, as the server names them.
    ...(width === 'some' && { scopes: scopes as NonNullable<Body['scopes']> }),
    ...(patterns.length > 0 && { models: patterns }),
    ...(project.trim() !== '' && { project: project.trim() }),
  };
}
