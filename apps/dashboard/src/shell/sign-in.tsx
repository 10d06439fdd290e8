import { useQueryClient } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { SIGN_IN } from '../data/address.ts';
import { ApiError } from '../data/api-error.ts';
import { refusedLink } from '../data/sign-in-link.ts';
import { ME, oidcAddress, signIn } from '../data/session.ts';
import { Button, buttonClass } from '../parts/button.tsx';
import { Fault } from '../parts/fault.tsx';
import { TextField } from '../parts/field.tsx';
import { cx } from '../parts/cx.ts';

/** The ways in. After it, everything that failed for want of a session is read again. */
export function SignInForm({ onDone }: { onDone: () => void }) {
  const client = useQueryClient();
  const [error, setError] = useState<ApiError | null>(null);
  const { register, handleSubmit, formState } = useForm<{ token: string }>({ defaultValues: { token: '' } });
  const submit = handleSubmit(async ({ token }) => {
    setError(null);
    try {
      client.setQueryData(ME.queryKey, await signIn(token.trim()));
      onDone();
      await client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== ME.queryKey[0] });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setError(error);
    }
  });
  return (
    <div className="flex flex-col gap-4">
      {SIGN_IN.oidc && (
        <a href={oidcAddress()} className={cx(buttonClass('primary'), 'h-9')}>
          Sign in with your organization
        </a>
      )}
      {SIGN_IN.token && (
        <form onSubmit={event => void submit(event)} className="flex flex-col gap-4">
          <TextField
            label="Access token"
            type="password"
            autoComplete="current-password"
            spellCheck={false}
            placeholder="gov_…"
            hint="The browser keeps a session, not the token."
            error={formState.errors.token?.message}
            {...register('token', { required: 'Enter an access token.' })}
          />
          <Fault error={error} />
          <Button
            type="submit"
            kind={SIGN_IN.oidc ? 'plain' : 'primary'}
            icon={KeyRound}
            busy={formState.isSubmitting}
            className="h-9"
          >
            Sign in
          </Button>
        </form>
      )}
      {SIGN_IN.host && <p>Sign in to the host application, then reload this page.</p>}
    </div>
  );
}

/** The whole page before anybody is signed in. */
export function SignInPage({ onDone }: { onDone: () => void }) {
  return (
    <main className="mx-auto flex min-h-dvh w-full max-w-sm flex-col justify-center gap-6 px-6 pb-24">
      <div className="border-b border-ink/70 pb-4">
        <p className="label">LLM governance</p>
        <h1 className="text-title font-semibold tracking-[-0.015em]">Sign in</h1>
      </div>
      <SignInForm onDone={onDone} />
      <SignInError />
      <Fault error={refusedLink() ?? null} />
    </main>
  );
}

/** Why the identity provider's sign-in failed, which its way back says in the address. */
function SignInError() {
  const code = new URLSearchParams(location.search).get('sign_in_error');
  if (code === null) return null;
  return (
    <p role="alert" className="text-small text-critical">
      Your organization rejected the sign-in ({code}). Try again, or ask an administrator.
    </p>
  );
}
