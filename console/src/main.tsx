// The start of the console: what surrounds every page, and the list of pages. A page is loaded when it is opened.
import { MantineProvider } from '@mantine/core';
import '@mantine/core/styles.css';
import { Notifications } from '@mantine/notifications';
import '@mantine/notifications/styles.css';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { setNonce } from 'get-nonce';
import type { ComponentType } from 'react';
import { createRoot } from 'react-dom/client';
import { createBrowserRouter, RouterProvider } from 'react-router';
import { PATIENCE_MS, SILENCE } from './api/exchange.js';
import { unreachable } from './api/refusal.js';
import { Frame } from './layout/frame.js';
import { type Audience, BrokenPage, For, NoSuchPage } from './layout/guard.js';
import { ignoreHeld } from './parts/keys.js';
import { Loading } from './parts/states.js';
import './parts/style.css';
import { shades, theme } from './parts/theme.js';

// The service writes the nonce into the page, so that the styles of libraries pass its Content-Security-Policy.
const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? '';
setNonce(nonce);

// The client repeats requests by itself (api/client.ts).
const queries = new QueryClient({
  defaultOptions: {
    // A browser that thinks that it is offline may still reach a service in its own network.
    queries: { retry: false, staleTime: 5_000, networkMode: 'always' },
    mutations: { networkMode: 'always' },
  },
});

/** Rejects with `Refusal` if a page does not come in time. */
const late = () => new Promise<never>((_, reject) => setTimeout(reject, PATIENCE_MS, unreachable(SILENCE)));

const page = (path: string, audience: Audience, load: () => Promise<ComponentType>) => ({
  path,
  lazy: async () => {
    const Content = await Promise.race([load(), late()]);
    return {
      Component: () => (
        <For audience={audience}>
          <Content />
        </For>
      ),
    };
  },
});

const pages = [
  page('/', 'anyone', async () => (await import('./start/start-page.js')).StartPage),
  page('/sign-in', 'visitors', async () => (await import('./account/sign-in-page.js')).SignInPage),
  page('/sign-up', 'visitors', async () => (await import('./account/sign-up-page.js')).SignUpPage),
  page('/activate', 'visitors', async () => (await import('./account/activate-page.js')).ActivatePage),
  page('/password', 'visitors', async () => (await import('./account/password-page.js')).PasswordPage),
  page('/account/:part?/:profileId?', 'account', async () => (await import('./account/account-page.js')).AccountPage),
  page(
    '/approvals/:userId?/:profileId?',
    ['ADMINISTRATOR'],
    async () => (await import('./approvals/approvals-page.js')).ApprovalsPage,
  ),
  { path: '*', Component: NoSuchPage },
];

// The service shows the console at its root, too.
if (window.location.pathname === '/') window.history.replaceState(null, '', '/console/');

const content = { ErrorBoundary: BrokenPage, children: pages };
const frame = { Component: Frame, HydrateFallback: Loading, children: [content] };
const router = createBrowserRouter([frame], { basename: '/console' });

window.addEventListener('keydown', ignoreHeld, { capture: true });

const root = document.querySelector('#root');
if (root === null) throw new Error('the page has no root');
createRoot(root).render(
  <MantineProvider theme={theme} cssVariablesResolver={shades} defaultColorScheme="auto" getStyleNonce={() => nonce}>
    <QueryClientProvider client={queries}>
      <Notifications position="bottom-center" />
      <RouterProvider router={router} />
    </QueryClientProvider>
  </MantineProvider>,
);
