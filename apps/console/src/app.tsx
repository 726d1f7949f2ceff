import { Text } from '@mantine/core';
import { type ComponentType, lazy, Suspense } from 'react';
import { createBrowserRouter, Navigate, Outlet, RouterProvider } from 'react-router';
import { Page } from './components/page';
import { ErrorPage } from './layout/error.page';
import { startOf } from './layout/navigation';
import { NotFoundPage } from './layout/not-found.page';
import { Shell } from './layout/shell';
import PortalPage from './session/portal.page';
import { useRight, useSession, useSessionState } from './session/session';
import SignInPage from './session/sign-in.page';
import SignedInPage from './session/signed-in.page';
import { texts } from './texts/common';
import { sessionTexts } from './texts/session';

/** Shows the screens of the session or, without a session, the sign-in page at the same address. */
function WithSession() {
  const { session } = useSessionState();
  return session ? <Shell session={session} /> : <SignInPage />;
}

function Start() {
  const { session } = useSessionState();
  const to = session && startOf(session);
  if (to) return <Navigate to={to} replace />;
  return (
    <Page title={sessionTexts.rightsTitle}>
      <Text>{sessionTexts.rights}</Text>
    </Page>
  );
}

/** Shows screens that need a right, or a message if the session lacks the right. The APIs check the right independently. */
function Needs({ right }: { right: string }) {
  const { kind } = useSession();
  if (useRight(right)) return <Outlet />;
  return (
    <Page title={texts.errors.forbiddenTitle}>
      <Text>{kind === 'partner' ? texts.errors.forbiddenToPartners : texts.errors.forbidden(right)}</Text>
    </Page>
  );
}

/** Loads the code of a screen when the screen is opened. */
function screen(load: () => Promise<{ default: ComponentType }>) {
  const Screen = lazy(load);
  return (
    <Suspense fallback={null}>
      <Screen />
    </Suspense>
  );
}

const router = createBrowserRouter(
  [
    {
      errorElement: <ErrorPage />,
      children: [
        { path: '/signed-in', element: <SignedInPage /> },
        { path: '/portal', element: <PortalPage /> },
        {
          element: <WithSession />,
          children: [
            { index: true, element: <Start /> },
            {
              element: <Needs right="partner:manage" />,
              children: [
                { path: 'overview', element: screen(() => import('./manager/overview.page')) },
                { path: 'sales', element: screen(() => import('./manager/sales.page')) },
                { path: 'sales/:oid', element: screen(() => import('./manager/sale-story.page')) },
                { path: 'held', element: screen(() => import('./manager/held-sales.page')) },
                { path: 'partners', element: screen(() => import('./manager/partners.page')) },
                { path: 'partners/:id', element: screen(() => import('./manager/partner.page')) },
                { path: 'applications', element: screen(() => import('./manager/applications.page')) },
                { path: 'audit', element: screen(() => import('./manager/audit.page')) },
              ],
            },
            {
              element: <Needs right="support" />,
              children: [
                { path: 'support', element: screen(() => import('./support/find-user.page')) },
                { path: 'support/users/:krn', element: screen(() => import('./support/user.page')) },
                { path: 'support-audit', element: screen(() => import('./support/audit.page')) },
              ],
            },
            {
              path: 'my',
              children: [
                { path: 'overview', element: screen(() => import('./portal/overview.page')) },
                { path: 'sales', element: screen(() => import('./portal/sales.page')) },
                { path: 'sales/:oid', element: screen(() => import('./portal/sale.page')) },
                { path: 'endpoint', element: screen(() => import('./portal/endpoint.page')) },
                { path: 'deliveries', element: screen(() => import('./portal/deliveries.page')) },
                { path: 'checkout', element: screen(() => import('./portal/checkout.page')) },
                { path: 'vouchers', element: screen(() => import('./portal/vouchers.page')) },
              ],
            },
            { path: '*', element: <NotFoundPage /> },
          ],
        },
      ],
    },
  ],
  { basename: import.meta.env.BASE_URL.replace(/\/$/, '') },
);

export const App = () => <RouterProvider router={router} />;
