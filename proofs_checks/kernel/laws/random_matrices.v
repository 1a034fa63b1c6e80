(* Matrices as outputs of a mechanism: the measurable structure that the entries generate, the law of a random matrix,
   and when an event of the output refutes a guarantee. What the refutations of the sliding-window and the compression
   claims rest on. *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import boolp classical_sets functions cardinality fsbigop mathcomp_extra.
From mathcomp Require Import signed reals ereal topology normedtype sequences esum measure.
From mathcomp Require Import lebesgue_measure numfun lebesgue_integral exp.
Import GRing.Theory Num.Theory Order.TTheory.
From DPMatrix Require Import laws.differential_privacy.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

(* an event that one law excludes and the other gives more than delta *)
Lemma event_refutes d (T : measurableType d) (R : realType) (eps delta : R) (P Q : set T -> \bar R) (S : set T) :
  measurable S -> Q S = 0%E -> (delta%:E < P S)%E -> ~ indistinguishable eps delta P Q.
Proof. by move=> mS QS PS /(_ S mS); rewrite QS mule0 add0e leNgt PS. Qed.

Section matrices.
Variables (R : realType) (m n : nat).

Definition pointed_matrix := [pointedType of 'M[R]_(m, n) for pointed_of_zmodule (matrix_zmodType R m n)].
Definition entry_sets : set (set pointed_matrix) :=
  [set A | exists i j (B : set R), measurable B /\ A = [set M : 'M[R]_(m, n) | B (M i j)]].
Definition matrix_output := [the measurableType _ of salgebraType entry_sets].

Lemma entry_measurable i j : measurable_fun setT (fun M : matrix_output => (M : 'M[R]_(m, n)) i j).
Proof. by move=> _ B mB; rewrite setTI; apply: sub_sigma_algebra; exists i, j, B. Qed.

Lemma matrix_measurable d (W : measurableType d) (X : W -> matrix_output) :
  (forall i j, measurable_fun setT (fun w => (X w : 'M[R]_(m, n)) i j)) -> measurable_fun setT X.
Proof.
move=> mX; apply: (@measurability _ _ _ _ setT X entry_sets) => // _ [_ [i [j [B [mB ->]]]] <-].
exact: mX.
Qed.
End matrices.

Section sums.
Variables (R : realType) (d : measure_display) (W : measurableType d).

Lemma measurable_real_sum (I : Type) (s : seq I) (f : I -> W -> R) :
  (forall i, measurable_fun setT (f i)) -> measurable_fun setT (fun w => \sum_(i <- s) f i w).
Proof.
move=> mf; elim: s => [|i s IH].
  by rewrite (_ : (fun _ => _) = cst 0); [exact: measurable_fun_cst | apply/funext => w; rewrite big_nil].
rewrite (_ : (fun _ => _) = (fun w => f i w + \sum_(k <- s) f k w)).
  exact: measurable_funD.
by apply/funext => w; rewrite big_cons.
Qed.

Lemma measurable_fst_snd d' (V : measurableType d') :
  measurable_fun setT (fst : W * V -> W) /\ measurable_fun setT (snd : W * V -> V).
Proof.
split=> _ A mA; rewrite setTI.
  by rewrite (_ : _ @^-1` _ = A `*` setT); [exact: measurableM | apply/seteqP; split => -[x y] //= []].
by rewrite (_ : _ @^-1` _ = setT `*` A); [exact: measurableM | apply/seteqP; split => -[x y] //= []].
Qed.

(* the event that two random matrices agree *)
Lemma agree_measurable m n (X Y : W -> 'M[R]_(m, n)) :
  (forall i j, measurable_fun setT (fun w => X w i j)) -> (forall i j, measurable_fun setT (fun w => Y w i j)) ->
  measurable [set w | X w = Y w].
Proof.
move=> mX mY; pose s w := \sum_i \sum_j (X w i j - Y w i j) ^+ 2.
rewrite (_ : [set _ | _] = s @^-1` [set 0]).
  rewrite -[X in measurable X]setTI; suff ms : measurable_fun setT s by apply: ms.
  apply: measurable_real_sum => i; apply: measurable_real_sum => j.
  by apply: measurable_fun_exprn; apply: measurable_funB.
apply/seteqP; split=> [w /= XY|w /= /eqP].
  by rewrite /s big1 // => i _; rewrite big1 // => j _; rewrite XY subrr expr0n.
rewrite psumr_eq0 => [/allP s0|i _]; last by apply: sumr_ge0 => j _; exact: sqr_ge0.
apply/matrixP => i j; have := s0 i (mem_index_enum _); rewrite psumr_eq0 => [/allP|k _]; last exact: sqr_ge0.
by move=> /(_ j (mem_index_enum _)); rewrite sqrf_eq0 subr_eq0 => /eqP.
Qed.
End sums.

(* Markov's inequality for a random real that is not negative *)
Lemma markov_inequality d (W : measurableType d) (R : realType) (P : {measure set W -> \bar R}) (X : W -> R) (a : R) :
  measurable_fun setT X -> (forall w, 0 <= X w) -> 0 < a ->
  (a%:E * P [set w | (a <= X w)%R] <= \int[P]_w (X w)%:E)%E.
Proof.
move=> mX X0 a0; have := @le_integral_abse _ _ _ P setT measurableT (EFin \o X) a.
rewrite setTI => /(_ (measurable_fun_comp (@measurable_fun_EFin _ setT) mX) a0).
rewrite (_ : [set x | _] = [set w | a <= X w]) => [|]; last first.
  by apply/seteqP; split=> w /=; rewrite ger0_norm // lee_fin.
by under eq_integral => w _ do rewrite /= ger0_norm //.
Qed.
