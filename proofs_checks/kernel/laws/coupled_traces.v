(* Noise P - Q from pairs (P, Q) of a convex cone of R^n, of density proportional to exp(-max(l(P), l(Q))): the two are
   not independent, and what l must bound is each of the two changes, not their sum. On the second-moment matrix, with
   traces for l, one scale serves both relations of neighbours. For beyond.coupled-traces-privacy. *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import boolp classical_sets functions cardinality fsbigop mathcomp_extra.
From mathcomp Require Import signed reals ereal topology normedtype sequences esum measure.
From mathcomp Require Import lebesgue_measure numfun lebesgue_integral exp.
From mathcomp.algebra_tactics Require Import ring.
From DPMatrix Require Import differential_privacy lebesgue_space additive_noise symmetrised_noise second_moment.
From DPMatrix Require Import noisy_moments wishart_noise.
Import GRing.Theory Num.Theory Order.TTheory.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

(* pairs of any density *)
Section pairs.
Variables (R : realType) (n : nat) (f : space R n * space R n -> \bar R).
Hypotheses (mf : measurable_fun setT f) (f0 : forall w, (0 <= f w)%E).

(* the law of b + P - Q, where (P, Q) has density f *)
Definition difference (b : 'rV[R]_n) : set (space R n) -> \bar R :=
  image_law (fun w : space R n * space R n => b + w.1 - w.2 : space R n) (density_law (pair_measure R n) f).

Definition moved P M : space R n * space R n -> \bar R := f \o move_pair (- P) (- M).
Lemma measurable_moved_pair P M : measurable_fun setT (moved P M).
Proof. exact: (measurable_fun_comp mf (measurable_move_pair _ _)). Qed.
Lemma difference_moved b P M S : measurable S -> difference (b + P) S =
  density_law (pair_measure R n) (moved P M) ((fun w : space R n * space R n => b + M + w.1 - w.2 : space R n) @^-1` S).
Proof.
move=> mS; set D := (X in density_law _ _ X); have mD : measurable D.
  by have := measurable_release (b + M) measurableT mS; rewrite setTI.
have mg := measurable_moved_pair P M; rewrite /difference /image_law /density_law [LHS]integral_mkcond [RHS]integral_mkcond
  -[RHS](integral_move_pair P M).
- apply: eq_integral => w _.
  rewrite /patch /moved /= /move_pair /= !addrK -surjective_pairing; congr (if _ then _ else _).
  have e : b + M + (w.1 + P) - (w.2 + M) = b + P + w.1 - w.2 :> 'rV[R]_n by apply/rowP => i; rewrite !mxE; ring.
  by apply/idP/idP => /set_mem k; apply/mem_set; move: k; rewrite /D /preimage /mkset /= e.
- by apply/(measurable_restrict _ mD measurableT) => //; exact: (measurable_funS measurableT (@subsetT _ _) mg).
- by move=> w; rewrite /patch; case: ifP => // _; exact: f0.
Qed.

(* P moves the first of the pair and M the second *)
Lemma difference_hides (eps : R) b P M :
  (forall w, f (move_pair (- P) (- M) w) <= (expR eps)%:E * f w)%E ->
  indistinguishable eps 0 (difference (b + P)) (difference (b + M)).
Proof.
move=> ratio S mS; rewrite (difference_moved b P M mS).
apply: bounded_density_ratio => //; [by move=> w; exact: f0 | exact: measurable_moved_pair |].
by have := measurable_release (b + M) measurableT mS; rewrite setTI.
Qed.
End pairs.

Section coupled.
Variables (R : realType) (n : nat) (K : set 'rV[R]_n) (l : 'rV[R]_n -> R).
Hypothesis Kadd : forall p q, K p -> K q -> K (p + q).
Hypothesis Km : measurable (K : set (space R n)).
Hypothesis ladd : forall p q, l (p + q) = l p + l q.
Hypothesis lm : measurable_fun setT (l : space R n -> R).
Notation pair := (space R n * space R n)%type.

Definition coupled_weight (w : pair) : R :=
  expR (- Num.max (l w.1) (l w.2)) * (\1_(K : set (space R n)) w.1 * \1_(K : set (space R n)) w.2).
Definition coupled_total : \bar R := (\int[pair_measure R n]_w (coupled_weight w)%:E)%E.
(* the density exp(-max(l(P), l(Q))) on pairs of K, 0 off them, over its integral *)
Definition coupled_noise (w : pair) : \bar R := ((fine coupled_total)^-1 * coupled_weight w)%:E.
Definition coupled : 'rV[R]_n -> set (space R n) -> \bar R := difference coupled_noise.

Lemma coupled_weight_ge0 w : 0 <= coupled_weight w.
Proof. by rewrite !mulr_ge0 ?(ltW (expR_gt0 _))// indicE ler0n. Qed.
Lemma coupled_scale_ge0 : 0 <= (fine coupled_total)^-1.
Proof. by rewrite invr_ge0 fine_ge0// integral_ge0// => w _; rewrite lee_fin coupled_weight_ge0. Qed.
Lemma coupled_noise_ge0 w : (0 <= coupled_noise w)%E.
Proof. by rewrite lee_fin mulr_ge0 ?coupled_scale_ge0 ?coupled_weight_ge0. Qed.
Lemma measurable_coupled_noise : measurable_fun setT coupled_noise.
Proof.
have m1 (g : space R n -> R) : measurable_fun setT g -> measurable_fun setT (fun w : pair => g w.1).
  by move=> mg; exact: (measurable_fun_comp mg (@measurable_fst _ _ (space R n) (space R n))).
have m2 (g : space R n -> R) : measurable_fun setT g -> measurable_fun setT (fun w : pair => g w.2).
  by move=> mg; exact: (measurable_fun_comp mg (@measurable_snd _ _ (space R n) (space R n))).
have mK := measurable_fun_indic Km.
apply: measurable_fun_comp; first exact: measurable_fun_EFin.
apply: measurable_funM; first exact: measurable_fun_cst.
apply: measurable_funM; last by apply: measurable_funM; [exact: m1 | exact: m2].
apply: (measurable_fun_comp (@measurable_expR R)); apply: measurable_funN.
by apply: measurable_fun_max; [exact: m1 | exact: m2].
Qed.

(* the one-sided property of the density *)
Lemma coupled_noise_moved (eps : R) P M w : K P -> K M -> l P <= eps -> l M <= eps ->
  (coupled_noise (move_pair (- P) (- M) w) <= (expR eps)%:E * coupled_noise w)%E.
Proof.
move=> KP KM lP lM; rewrite -EFinM lee_fin [leRHS]mulrCA; apply: ler_wpmul2l; first exact: coupled_scale_ge0.
rewrite /coupled_weight [leRHS]mulrA -expRD; apply: ler_pmul; rewrite ?(ltW (expR_gt0 _))//.
- by rewrite !indicE -natrM ler0n.
- rewrite ler_expR ler_oppl opprB ler_subl_addr /= !(lB ladd).
  by rewrite le_maxl; apply/andP; split; rewrite -ler_subl_addr le_maxr ler_add2l ler_opp2 ?lP ?lM ?orbT.
have back (x p : 'rV[R]_n) : K p -> \1_(K : set (space R n)) (x - p) <= \1_(K : set (space R n)) x :> R.
  move=> Kp; rewrite !indicE ler_nat; case: (boolP ((x - p : space R n) \in K)) => // /set_mem /Kadd /(_ Kp).
  by rewrite subrK => /mem_set ->.
by apply: ler_pmul; rewrite ?back ?indicE ?ler0n.
Qed.

Lemma coupled_noise_hides (eps : R) b P M : K P -> K M -> l P <= eps -> l M <= eps ->
  indistinguishable eps 0 (coupled (b + P)) (coupled (b + M)).
Proof.
move=> KP KM lP lM; apply: difference_hides => [|w|w]; first exact: measurable_coupled_noise.
  exact: coupled_noise_ge0.
exact: coupled_noise_moved.
Qed.
End coupled.

Section moments.
Variables (R : realType) (d : nat).
Notation vector := 'rV[R]_(triangle_size d).
Implicit Types (c : R) (b P Q M : vector).

Definition scaled_trace c (x : vector) : R := \tr (symmetric_matrix x) / c.
Definition coupled_traces c : vector -> set (space R (triangle_size d)) -> \bar R :=
  coupled (@semidefinite R d) (scaled_trace c).

Lemma scaled_traceE c x : scaled_trace c x = half_trace c x *+ 2.
Proof.
rewrite /scaled_trace /half_trace -[RHS]mulr_natr -mulrA; congr (_ * _).
by rewrite invfM mulrAC mulVf ?mul1r// pnatr_eq0.
Qed.

Lemma scaled_trace_add c P Q : scaled_trace c (P + Q) = scaled_trace c P + scaled_trace c Q.
Proof. by rewrite !scaled_traceE half_trace_add mulrnDl. Qed.
Lemma measurable_scaled_trace c : measurable_fun setT (scaled_trace c : space R (triangle_size d) -> R).
Proof.
rewrite (_ : scaled_trace c = fun x => half_trace c x *+ 2); last by apply/funext => x; exact: scaled_traceE.
by under eq_fun do rewrite mulr2n; apply: measurable_funD; exact: measurable_half_trace.
Qed.

(* pairs of semidefinite matrices have weight exp(-max(tr P, tr Q)/c) *)
Lemma coupled_traces_weight c P Q : 0 < c -> semidefinite P -> semidefinite Q ->
  coupled_weight (@semidefinite R d) (scaled_trace c) (P, Q) =
  expR (- (Num.max (\tr (symmetric_matrix P)) (\tr (symmetric_matrix Q)) / c)).
Proof.
move=> c0 KP KQ; rewrite /coupled_weight /= !indicE !mem_set// !mulr1 /scaled_trace.
by rewrite maxr_pmull// invr_ge0 ltW.
Qed.

Lemma coupled_traces_hides c (eps : R) b P M : semidefinite P -> semidefinite M ->
  scaled_trace c P <= eps -> scaled_trace c M <= eps ->
  indistinguishable eps 0 (coupled_traces c (b + P)) (coupled_traces c (b + M)).
Proof.
apply: coupled_noise_hides.
- exact: semidefinite_add.
- exact: measurable_semidefinite.
- exact: scaled_trace_add.
- exact: measurable_scaled_trace.
Qed.
End moments.

(* XX'/n plus P - Q, where (P, Q) has density proportional to exp(-n eps max(tr P, tr Q)) on pairs of the cone *)
Theorem coupled_traces_is_private (R : realType) (d n : nat) (eps : R) : (0 < n)%N -> 0 < eps ->
  let law := fun X : seq 'rV[R]_d => coupled_traces (n%:R * eps)^-1 (average n X) in
  differentially_private (@replace_one R d 1) eps 0 law /\ differentially_private (@add_remove_one R d 1) eps 0 law.
Proof.
move=> n0 eps0 law; have nn : n%:R != 0 :> R by rewrite pnatr_eq0 -lt0n.
have K (v : 'rV[R]_d) : semidefinite (share n v) by apply: semidefinite_outer; rewrite invr_ge0.
have K0 : semidefinite (0 : 'rV[R]_(triangle_size d)) by exact: semidefinite0.
have l0 : scaled_trace (n%:R * eps)^-1 (0 : 'rV[R]_(triangle_size d)) <= eps.
  by rewrite scaled_traceE half_trace0 mul0rn ltW.
have le (v : 'rV[R]_d) : squared_norm v <= 1 ^+ 2 -> scaled_trace (n%:R * eps)^-1 (share n v) <= eps.
  rewrite expr1n => v1; have -> : scaled_trace (n%:R * eps)^-1 (share n v) = eps * squared_norm v.
    by rewrite scaled_traceE half_trace_share// -mulr_natl; field; rewrite nn gt_eqF.
  by rewrite ler_pimulr// ltW.
split=> X Y.
- move=> [s [v [w [t [eX eY bX bY]]]]]; rewrite /law eX eY !average_share.
  apply: coupled_traces_hides => //; apply: le.
    by apply: bX; rewrite eX mem_cat mem_head orbT.
  by apply: bY; rewrite eY mem_cat mem_head orbT.
- move=> [s [v [t [[[eX eY]|[eX eY]] bX bY]]]]; rewrite /law eX eY average_share.
    rewrite -[X in indistinguishable _ _ _ (_ X)]addr0; apply: coupled_traces_hides => //; apply: le.
    by apply: bX; rewrite eX mem_cat mem_head orbT.
  rewrite -[X in indistinguishable _ _ (_ X) _]addr0; apply: coupled_traces_hides => //; apply: le.
  by apply: bY; rewrite eY mem_cat mem_head orbT.
Qed.
