import { useQueryClient } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { SIGN_IN } from '../data/address.ts';
import { ApiError } from '../data/api-error.ts';
import { refusedSignIn } from '../data/refused-sign-in.ts';
import { refusedLink } from '../data/sign-in-link.ts';
import { ME, signIn } from '../data/session.ts';
import { Button } from '../parts/button.tsx';
import { Fault } from '../parts/fault.tsx';
import { TextField } from '../parts/field.tsx';
import { LedgerMark } from './ledger-mark.tsx';
import { ProviderLinks } from './provider-links.tsx';

/** Shows the ways to sign in. After a sign-in, queries that failed with 401 are refetched. */
export function SignInForm({ onDone, inPlace = false }: { onDone: () => void; inPlace?: boolean }) {
  const client = useQueryClient();
  const [error, setError] = useState<ApiError | null>(null);
  const { register, handleSubmit, formState } = useForm<{ token: string }>({ defaultValues: { token: '' } });
  const hasProviders = SIGN_IN.providers.length > 0;
  const goOn = async (): Promise<void> => {
    onDone();
    await client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== ME.queryKey[0] });
  };
  const submit = handleSubmit(async ({ token }) => {
    setError(null);
    try {
      client.setQueryData(ME.queryKey, await signIn(token.trim()));
      await goOn();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setError(error);
    }
  });
  return (
    <div className="flex flex-col gap-4">
      {hasProviders && <ProviderLinks inPlace={inPlace} onDone={() => void goOn()} />}
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
            kind={hasProviders ? 'plain' : 'primary'}
            icon={KeyRound}
            busy={formState.isSubmitting}
            className="h-9"
          >
            {hasProviders ? 'Sign in with token' : 'Sign in'}
          </Button>
        </form>
      )}
      {SIGN_IN.host && <p>Sign in to the host application, then reload this page.</p>}
    </div>
  );
}

/** The page for people who are not signed in. */
export function SignInPage({ onDone }: { onDone: () => void }) {
  return (
    <main className="mx-auto flex min-h-dvh w-full max-w-sm flex-col justify-center gap-6 px-6 pb-24">
      <div className="border-b border-ink/70 pb-4">
        <p className="flex items-center gap-2 pb-5 font-semibold tracking-[-0.01em]">
          <LedgerMark size={20} /> LLM governance
        </p>
        <h1 className="text-title font-semibold tracking-[-0.015em]">Sign in</h1>
      </div>
      <Fault error={refusedSignIn() ?? refusedLink()} />
      <SignInForm onDone={onDone} />
    </main>
  );
}
