(* Statements of the documents that follow from the Loewner order and from costs by algebra, for every size: what it means
   to approximate (sliding-window spectral-approximation, definition-4 to 6, lemma-1, lemma-2) and cuts (corollary-2). *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From DPMatrix.matrices Require Import inner_products spectral_norms projectors.
Import GRing.Theory Num.Theory Order.TTheory.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section loewner_bounds.
Variable R : realFieldType.
Variable d : nat.
Implicit Types (B C P X : 'M[R]_d) (x : 'cV[R]_d) (eta : R).

(* sliding-window.spectral-approximation+repair. *)
Theorem approximation_turned_round C S eta (e := eta / (1 - eta)) : 0 <= eta -> eta < 1 ->
  loewner ((1 - eta) *: C) S -> loewner S ((1 + eta) *: C) ->
  loewner ((1 - e) *: S) C /\ loewner C ((1 + e) *: S).
Proof.
move=> e0 e1 low up; have g0 : 0 < 1 - eta by rewrite subr_gt0.
have gn : 1 - eta != 0 by rewrite gt_eqF.
have key (c s : R) : (1 - eta) * c <= s -> s <= (1 + eta) * c -> (1 - e) * s <= c /\ c <= (1 + e) * s.
  move=> lo hi; have eE : 1 + e = (1 - eta)^-1 by rewrite /e; field.
  split; last by rewrite eE mulrC ler_pdivl_mulr // mulrC.
  have [h0|h0] := eqVneq eta 0.
    by move: hi; rewrite /e h0 mul0r subr0 addr0 !mul1r.
  have hp : 0 < eta by rewrite lt_def h0.
  have c0 : 0 <= c.
    have : (1 - eta) * c <= (1 + eta) * c by apply: le_trans hi.
    rewrite -subr_ge0; have -> : (1 + eta) * c - (1 - eta) * c = (2%:R * eta) * c by ring.
    by rewrite pmulr_rge0 // mulr_gt0 ?ltr0n.
  have s0 : 0 <= s by apply: le_trans lo; rewrite mulr_ge0 // ltW.
  have p0 : 0 < 1 + eta by rewrite addr_gt0 ?ltr01.
  rewrite -(ler_pmul2l p0); apply: le_trans hi; rewrite mulrA -[X in _ <= X]mul1r ler_wpmul2r //.
  have -> : (1 + eta) * (1 - e) = 1 - 2%:R * eta ^+ 2 / (1 - eta) by rewrite /e; field.
  by rewrite ler_subl_addr ler_addl divr_ge0 ?(ltW g0) // mulr_ge0 ?ler0n ?sqr_ge0.
by split=> x; move: (low x) (up x); rewrite !formZ => lo hi; case: (key _ _ lo hi).
Qed.

(* sliding-window.definition-5+repair: B holds a basis of the subspace, and c the coefficients. *)
Theorem embedding_of_subspace n m k (E : 'M[R]_(m, n)) (B : 'M[R]_(n, k)) alpha :
  loewner ((1 - alpha) *: (B^T *m B)) ((E *m B)^T *m (E *m B)) ->
  loewner ((E *m B)^T *m (E *m B)) ((1 + alpha) *: (B^T *m B)) ->
  forall c, (1 - alpha) * norm2 (B *m c) <= norm2 (E *m (B *m c)) <= (1 + alpha) * norm2 (B *m c).
Proof.
move=> low up c; have := low c; have := up c; rewrite !formZ !form_gram -!mulmxA => u l.
by rewrite l u.
Qed.

(* sliding-window.definition-4; definition-6, and its step squared: costs before and after. *)
Theorem preferred_by_summary (eta tau1 tau2 p x q y : R) :
  (1 - eta) * p - tau1 <= q <= (1 + eta) * p + tau2 -> (1 - eta) * x - tau1 <= y <= (1 + eta) * x + tau2 -> q <= y ->
  (1 - eta) * p <= (1 + eta) * x + tau1 + tau2.
Proof.
move=> /andP[lp _] /andP[_ ux] qy; rewrite -ler_subl_addr in lp *.
rewrite ler_subl_addr -addrA [tau1 + _]addrC addrA -ler_subl_addr.
exact: le_trans lp (le_trans qy ux).
Qed.

Theorem summary_prefers n m (A : 'M[R]_(n, d)) (A' : 'M[R]_(m, d)) P X eta tau1 tau2
    (cost := fun (Y : 'M[R]_d) => frobenius2 (A - A *m Y)) (seen := fun (Y : 'M[R]_d) => frobenius2 (A' - A' *m Y)) :
  (forall Y, Y = P \/ Y = X -> (1 - eta) * cost Y - tau1 <= seen Y <= (1 + eta) * cost Y + tau2) ->
  seen P <= seen X -> (1 - eta) * cost P <= (1 + eta) * cost X + tau1 + tau2.
Proof.
move=> kept best; apply: preferred_by_summary best; [apply: kept; by left | apply: kept; by right].
Qed.

Theorem sketch_prefers n m (A : 'M[R]_(d, n)) (A' : 'M[R]_(d, m)) P X eta c
    (cost := fun (Y : 'M[R]_d) => frobenius2 (A - Y *m A)) (seen := fun (Y : 'M[R]_d) => frobenius2 (A' - Y *m A')) :
  (forall Y, Y = P \/ Y = X -> (1 - eta) * cost Y <= seen Y + c <= (1 + eta) * cost Y) ->
  seen P <= seen X -> (1 - eta) * cost P <= (1 + eta) * cost X.
Proof.
move=> kept best; have /andP[lp _] := kept P (or_introl erefl); have /andP[_ ux] := kept X (or_intror erefl).
by apply: le_trans lp (le_trans _ ux); rewrite ler_add2r.
Qed.

(* sliding-window.lemma-2, equations 10 to 14: K1 and K2 with the ridge, the window G between them, and S for the sketch. *)
Section equations.
Variables (K1 K2 G S : 'M[R]_d) (eta : R).
Hypotheses (e0 : 0 < eta) (e1 : eta < 1).
Hypotheses (within_low : loewner ((1 - eta / 4%:R) *: K1) S) (within_up : loewner S ((1 + eta / 4%:R) *: K1)).
Hypotheses (order_low : loewner K2 G) (order_up : loewner G K1) (close_8 : loewner ((1 - eta) *: K1) K2).

Theorem equation_11 : loewner ((1 - eta / 4%:R) *: G) S.
Proof.
move=> x; apply: le_trans (within_low x); rewrite !formZ ler_wpmul2l // subr_ge0 ler_pdivr_mulr ?ltr0n // mul1r.
by apply: le_trans (ltW e1) _; rewrite (ler_nat R 1 4).
Qed.

Theorem equation_13 : loewner S (((1 + eta / 4%:R) / (1 - eta)) *: K2).
Proof.
move=> x; apply: le_trans (within_up x) _; rewrite !formZ -mulrA ler_wpmul2l ?addr_ge0 ?ler01 ?divr_ge0 ?ler0n ?(ltW e0) //.
by rewrite mulrC ler_pdivl_mulr ?subr_gt0 // mulrC -formZ; exact: close_8.
Qed.

Theorem equation_14 : loewner S (((1 + eta / 4%:R) / (1 - eta)) *: G).
Proof.
move=> x; apply: le_trans (equation_13 x) _; rewrite !formZ ler_wpmul2l //.
by rewrite divr_ge0 ?subr_ge0 ?(ltW e1) // addr_ge0 ?ler01 ?divr_ge0 ?ler0n ?(ltW e0).
Qed.
End equations.

(* sliding-window.lemma-2, equation 6. *)
Theorem ridge_identity n (A : 'M[R]_(n, d)) s (T := col_mx s%:M A) : T^T *m T = A^T *m A + (s ^+ 2)%:M.
Proof. by rewrite /T tr_col_mx mul_row_col tr_scalar_mx -scalar_mxM -expr2 addrC. Qed.

(* sliding-window.neighbours, step rank-one: one row differs by u, of norm at most 1. *)
Theorem rank_one_difference n (A A' : 'M[R]_(n, d)) (u : 'rV[R]_d) r :
  A - A' = delta_mx r 0 *m u -> norm2 u^T <= 1 -> (\rank (A - A')%R <= 1)%N /\ spectral_bound (A - A') 1.
Proof.
move=> -> u1; split; first by apply: leq_trans (mulmx_max_rank _ _) _.
split=> [|x]; first exact: ler01.
rewrite -mulmxA expr1n mul1r; have -> : u *m x = (dot u^T x)%:M by rewrite -dotM trmxK.
rewrite mul_mx_scalar norm2Z; have -> : norm2 (delta_mx r 0 : 'cV[R]_n) = 1.
  rewrite /norm2 /dot (bigD1 r) //= big1 ?addr0 => [|i ir]; first by rewrite !mxE !eqxx mulr1.
  by rewrite !mxE (negPf ir) mul0r.
rewrite mulr1; apply: le_trans (cauchy_schwarz _ _) _.
by rewrite -[X in _ <= X]mul1r ler_wpmul2r ?norm2_ge0.
Qed.

(* sliding-window.corollary-2, step cut: a row of weight w for the edge (a, b), and S a set of vertices. *)
Theorem cut_is_a_form n (source target : 'I_n -> 'I_d) (weight : 'I_n -> R) (S : pred 'I_d)
    (A := \matrix_(r < n, i < d) (weight r * ((i == source r)%:R - (i == target r)%:R))) (e := \col_(i < d) (S i)%:R : 'cV[R]_d) :
  form (A^T *m A) e = \sum_(r | S (source r) != S (target r)) weight r ^+ 2.
Proof.
rewrite form_gram [RHS]big_mkcond; apply: eq_bigr => r _.
have pick (v : 'I_d) : \sum_i (i == v)%:R * (S i)%:R = (S v)%:R :> R.
  by rewrite (bigD1 v) //= eqxx mul1r big1 ?addr0 // => i /negPf ->; rewrite mul0r.
have -> : (A *m e) r 0 = weight r * ((S (source r))%:R - (S (target r))%:R).
  rewrite mxE -!pick -sumrB mulr_sumr; apply: eq_bigr => i _; rewrite !mxE; ring.
by case: (S (source r)); case: (S (target r)); rewrite /= ?subrr ?subr0 ?sub0r; ring.
Qed.

End loewner_bounds.

(* analyze-gauss.trace-properties, but for the idempotent matrices of projection_costs.v; entries of the differential are
   derivatives of polynomials. *)
Theorem trace_properties (F : comRingType) n m l (A B : 'M[F]_n) (c : F) (G : 'M[F]_(n, m)) (H : 'M[F]_(m, n))
    (K : 'M[F]_(m, l)) (L : 'M[F]_(l, n)) (M : 'M[{poly F}]_n) :
  [/\ \tr (A + B) = \tr A + \tr B, \tr (c *: A) = c * \tr A, \tr (G *m H) = \tr (H *m G),
      \tr (G *m K *m L) = \tr (L *m G *m K) & \tr A = \tr A^T] /\ deriv (\tr M) = \tr (map_mx (@deriv F) M).
Proof.
split; first split.
- exact: mxtraceD.
- exact: mxtraceZ.
- exact: mxtrace_mulC.
- by rewrite mxtrace_mulC mulmxA.
- by rewrite mxtrace_tr.
by rewrite /mxtrace raddf_sum; apply: eq_bigr => i _; rewrite mxE.
Qed.
