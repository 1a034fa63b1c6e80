(* PPCA one direction at a time, each in the complement of those before (near-optimal.theorem-6, k = 1, repeated): for
   every length d of a record, every number n of records and every number of steps. What a step publishes is rounded,
   and what comes after sees the rounded directions alone: the base measure, the directions and the rounding of a step
   may depend on them in any way. *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import boolp classical_sets functions cardinality fsbigop mathcomp_extra.
From mathcomp Require Import signed reals ereal topology normedtype sequences esum measure.
From mathcomp Require Import lebesgue_measure numfun lebesgue_integral exp.
From DPMatrix Require Import differential_privacy lebesgue_space additive_noise second_moment ppca.
Import GRing.Theory Num.Theory Order.TTheory.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

(* m outputs of a discrete type, each drawn with knowledge of those before *)
Section steps.
Variables (R : realType) (U : choiceType).
Implicit Types (step : seq U -> U -> \bar R) (t : seq U).

(* the probability of the outputs t after the outputs p *)
Fixpoint chance step (p t : seq U) : \bar R :=
  if t is u :: s then (step p u * chance step (rcons p u) s)%E else 1%E.
Definition sequence_law step (m : nat) (S : set (m.-tuple U)) : \bar R := (\esum_(t in S) chance step [::] t)%E.

Lemma chance_ge0 step p t : (forall p u, 0 <= step p u)%E -> (0 <= chance step p t)%E.
Proof. by move=> s0; elim: t p => [|u t IH] p //=; rewrite ?lee_fin ?ler01// mule_ge0. Qed.

Lemma chance_ratio (e : R) f g p t : (forall p u, 0 <= f p u)%E -> (forall p u, 0 <= g p u)%E ->
  (forall p u, f p u <= (expR e)%:E * g p u)%E -> (chance f p t <= (expR (e *+ size t))%:E * chance g p t)%E.
Proof.
move=> f0 g0 fg; elim: t p => [|u t IH] p /=; first by rewrite mulr0n expR0 mul1e.
rewrite mulrS expRD EFinM muleACA; apply: lee_pmul => //; exact: chance_ge0.
Qed.

Lemma sequence_hides (e : R) f g m (S : set (m.-tuple U)) : (forall p u, 0 <= f p u)%E -> (forall p u, 0 <= g p u)%E ->
  (forall p u, f p u <= (expR e)%:E * g p u)%E -> (sequence_law f S <= (expR (e *+ m))%:E * sequence_law g S)%E.
Proof.
move=> f0 g0 fg; apply: ub_ereal_sup => _ [F [finF FS] <-].
apply: (@le_trans _ _ ((expR (e *+ m))%:E * \sum_(t \in F) chance g [::] t)%E); last first.
  by apply: lee_wpmul2l; [exact: expR_ge0E | apply: ereal_sup_ub; exists F].
rewrite ge0_mule_fsumr; last by move=> t; exact: chance_ge0.
by apply: lee_fsum => // t _; have := chance_ratio [::] (val t) f0 g0 fg; rewrite size_tuple.
Qed.
End steps.

(* pure privacy where every set of outputs is an event *)
Definition private_outputs (R : realType) (T D : Type) (neighbours : D -> D -> Prop) (eps : R)
    (M : D -> set T -> \bar R) :=
  forall X Y, neighbours X Y -> forall S, (M X S <= (expR eps)%:E * M Y S)%E.

Section sequential_ppca.
Variables (R : realType) (d n : nat) (U : choiceType) (disp : seq U -> measure_display).
Variables (T : forall p, measurableType (disp p)) (mu : forall p, {measure set (T p) -> \bar R}).
Variables (V : forall p, T p -> 'M[R]_(d, 1)) (round : forall p, T p -> U).
Hypothesis finite_measures : forall p, (0 < mu p setT < +oo)%E.
Hypothesis directions : forall p (x : T p), (V x)^T *m V x = 1%:M.
Hypothesis measurable_entries : forall p i j, measurable_fun setT (fun x : T p => V x i j).
Hypothesis measurable_cells : forall p u, measurable (@round p @^-1` [set u] : set (T p)).

(* the probability that the step after the outputs p publishes u *)
Definition ppca_step (eps : R) (X : seq 'rV[R]_d) (p : seq U) (u : U) : \bar R :=
  ppca n (mu p) (@V p) eps X (@round p @^-1` [set u]).
(* m steps, each of eps / m *)
Definition sequential_ppca (m : nat) (eps : R) (X : seq 'rV[R]_d) : set (m.-tuple U) -> \bar R :=
  @sequence_law R U (ppca_step (eps / m%:R) X) m.

Lemma ppca_step_ge0 eps X p u : (0 <= ppca_step eps X p u)%E.
Proof.
apply: density_law_ge0 => x; apply: mule_ge0; last exact: weight_ge0.
by rewrite lee_fin invr_ge0 fine_ge0// integral_ge0// => y _; exact: weight_ge0.
Qed.

Theorem sequential_ppca_is_private (m : nat) (eps : R) : 0 <= eps -> (0 < n)%N -> (0 < m)%N ->
  private_outputs (@records_replaced R d n) eps (@sequential_ppca m eps).
Proof.
move=> eps0 n0 m0 X Y XY S; rewrite /sequential_ppca; set e := eps / m%:R.
have e0 : 0 <= e by rewrite divr_ge0.
have -> : eps = e *+ m by rewrite -mulr_natr divfK// pnatr_eq0 -lt0n.
apply: sequence_hides => [p u|p u|p u]; try exact: ppca_step_ge0.
have dp := @ppca_is_private _ _ _ d 1 n (mu p) (@V p) (finite_measures p) (@directions p)
  (@measurable_entries p) e e0 n0.
by have := dp X Y XY _ (measurable_cells p u); rewrite adde0.
Qed.
End sequential_ppca.

(* both directions of the plane at every step, published as they are *)
Section instance.
Variable R : realType.
Definition either_axis (n m : nat) (eps : R) (X : seq 'rV[R]_2) : set (m.-tuple bool) -> \bar R :=
  @sequential_ppca R 2 n bool_choiceType _ (fun _ => [the measurableType _ of bool : Type]) (fun _ => both R)
    (fun _ => @axis R) (fun _ b => b) m eps X.

Theorem sequential_ppca_instance (n m : nat) (eps : R) : 0 <= eps -> (0 < n)%N -> (0 < m)%N ->
  private_outputs (@records_replaced R 2 n) eps (@either_axis n m eps).
Proof.
apply: sequential_ppca_is_private => //.
- move=> _; have -> : both R setT = (1 + 1)%:E by rewrite [both R setT]measure_addE /= /dirac !indicT.
  by rewrite lte_fin ltry andbT addr_gt0.
- by move=> _ b; rewrite /axis trmx_delta mul_delta_mx; apply/matrixP => i j; rewrite !ord1 !mxE eqxx.
Qed.
End instance.
