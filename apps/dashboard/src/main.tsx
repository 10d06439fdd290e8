import '@fontsource-variable/geist';
import '@fontsource-variable/geist-mono';
import './styles/index.css';
import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { watchActivity } from './data/activity.ts';
import { createQueryClient } from './data/query-client.ts';
import { takeSignInLink } from './data/sign-in-link.ts';
import { createPageRouter } from './routes.tsx';
import { ended } from './shell/ended.ts';
import { watchTheme } from './shell/theme.ts';

watchTheme();
watchActivity();

await takeSignInLink();
const client = createQueryClient(() => ended(true));
const place = document.querySelector('#page');
if (place === null) throw new Error('the document has no place for the page');
createRoot(place).render(
  <StrictMode>
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={client}>
        <RouterProvider router={createPageRouter()} />
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
);
